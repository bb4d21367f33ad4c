# shellcheck shell=bash
# Sourced first by every script in bin/. Leaves the working folder at the project's root.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 1

# The gems go into the project: no root needed, nothing else on the machine changes.
export BUNDLE_GEMFILE="$root/Gemfile"
export BUNDLE_PATH="${BUNDLE_PATH:-$root/vendor/bundle}"
export BUNDLE_SILENCE_ROOT_WARNING=1

has() { command -v "$1" >/dev/null 2>&1; }

# rustup puts cargo there, and into the PATH of new shells only.
cargo_bin="${CARGO_HOME:-$HOME/.cargo}/bin"
if ! has cargo && [ -x "$cargo_bin/cargo" ]; then export PATH="$cargo_bin:$PATH"; fi

step() { printf '==> %s\n' "$*"; }

fail() {
  printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}
