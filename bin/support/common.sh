# shellcheck shell=bash
# Sourced first by every script in bin/. Leaves the working folder at the project's root.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit 1

export BUNDLE_GEMFILE="$root/Gemfile"
export BUNDLE_SILENCE_ROOT_WARNING=1

has() { command -v "$1" >/dev/null 2>&1; }

# rustup puts cargo there, but into the PATH of new shells only.
cargo_bin="${CARGO_HOME:-$HOME/.cargo}/bin"
if ! has cargo && [ -x "$cargo_bin/cargo" ]; then export PATH="$cargo_bin:$PATH"; fi

step() { printf '==> %s\n' "$*"; }

fail() {
  printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# logged NAME COMMAND...: the output goes to tmp/log/NAME.log and is shown only when the command fails.
logged() {
  local log="tmp/log/$1.log"
  mkdir -p tmp/log
  if ! "${@:2}" > "$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}
