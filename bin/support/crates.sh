# shellcheck shell=bash
# Sourced by bin/setup: the Rust packages (crates), which cargo fetches from crates.io.

# shellcheck source=bin/debian_crates/use.sh
. bin/debian_crates/use.sh # only for where crates.io is out of reach

ensure_crates() {
  local elsewhere
  if crates_there; then
    step "Crates: already there"
  elif elsewhere=$(other_source); then
    step "Crates: fetching them from the source that $elsewhere names (about a minute)"
    cargo fetch --quiet
  elif crates_io_answers; then
    leave_debian_crates
    step "Crates: fetching them from crates.io (less than a minute)"
    cargo fetch --quiet
  elif debian_crates_available; then
    use_debian_crates
  else
    fail "the Rust packages (crates) cannot be fetched: https://index.crates.io does not answer, and this is not a Debian
machine, whose packages could be used instead. Set up a mirror in ${CARGO_HOME:-\$HOME/.cargo}/config.toml."
  fi
}

# All crates that Cargo.toml needs are on this machine, and fit Cargo.lock.
crates_there() { cargo metadata --offline --format-version 1 >/dev/null 2>&1; }

crates_io_answers() { curl -sSf --max-time 10 -o /dev/null https://index.crates.io/config.json 2>/dev/null; }

# Prints where cargo is told to replace crates.io, other than in the file that bin/setup writes itself.
other_source() {
  local folder=$root file
  if [ -n "${CARGO_SOURCE_CRATES_IO_REPLACE_WITH:-}" ]; then echo CARGO_SOURCE_CRATES_IO_REPLACE_WITH; return; fi
  while
    for file in "$folder/.cargo/config.toml" "$folder/.cargo/config"; do
      if grep -qs replace-with "$file" && ! grep -qsF "$mark" "$file"; then echo "$file"; return; fi
    done
    [ "$folder" != / ]
  do folder=$(dirname "$folder"); done
  for file in "${CARGO_HOME:-$HOME/.cargo}"/config{.toml,}; do
    if grep -qs replace-with "$file"; then echo "$file"; return; fi
  done
  return 1
}
