# shellcheck shell=bash
# Sourced by bin/setup: the Rust packages, from crates.io or, where that is out of reach, from Debian's packages of them.

debian_release=forky
crates="$root/tmp/crates"
cargo_config="$root/.cargo/config.toml"
mark='# Written by bin/setup: Debian packaged these crates, as crates.io could not be reached.'

ensure_crates() {
  local elsewhere
  if crates_there; then
    return
  elif elsewhere=$(config_of_others); then
    step "Fetching the crates from where $elsewhere says (about a minute)"
    cargo fetch --quiet
  elif crates_io_answers; then
    use_crates_io
  elif debian_keyring >/dev/null && has apt-get && has dpkg-deb; then
    use_debian_crates
  else
    fail "the Rust packages (crates) can't be had: https://index.crates.io doesn't answer, and this isn't a Debian
machine, whose packages of them could be used instead. Set up a mirror in ${CARGO_HOME:-\$HOME/.cargo}/config.toml."
  fi
}

# All that Cargo.toml asks for is on this machine, and fits Cargo.lock.
crates_there() { cargo metadata --offline --format-version 1 >/dev/null 2>&1; }

# The name of what tells cargo to use another source than crates.io, if it isn't this script's own file.
config_of_others() {
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

crates_io_answers() { curl -sSf --max-time 10 -o /dev/null https://index.crates.io/config.json 2>/dev/null; }

use_crates_io() {
  if grep -qsF "$mark" "$cargo_config"; then rm "$cargo_config"; fi
  if lock_from_debian; then drop_lock; fi
  step "Fetching the crates from crates.io (less than a minute)"
  cargo fetch --quiet
}

use_debian_crates() {
  local wanted
  wanted=$(cargo metadata --no-deps --format-version 1 | ruby bin/support/crate_requirements.rb)
  if [ "$wanted" != "$(cat "$crates/wanted" 2>/dev/null)" ]; then
    step "Fetching the crates from Debian $debian_release, as crates.io doesn't answer (about half a minute)"
    fetch_debian_crates "$wanted"
  fi
  mkdir -p "$root/.cargo"
  # cargo takes a relative path from the folder that holds .cargo.
  printf '%s\n' "$mark" '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' \
    'directory = "tmp/crates/registry"' > "$cargo_config"
  drop_lock
  crates_there || { cargo metadata --offline --format-version 1 >/dev/null || fail "Debian's crates don't fit Cargo.toml"; }
}

# Neither kind of Cargo.lock can be used with the other source: Debian's crates lack their checksums.
lock_from_debian() { grep -qs 'Could not get crate checksum' Cargo.lock; }

drop_lock() { if ! git ls-files --error-unmatch Cargo.lock >/dev/null 2>&1; then rm -f Cargo.lock; fi; }

debian_keyring() { compgen -G '/usr/share/keyrings/debian-archive-keyring.[gp]*' | head -1 | grep .; }

# The mirror this machine uses, or Debian's own.
debian_mirror() {
  local codename mirror
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' "Release: $codename" 'Component: main' | head -1)
  echo "${mirror:-http://deb.debian.org/debian/}"
}

# Everything happens in a folder beside it that is renamed at the end: what is in tmp/crates is complete. apt is given
# folders of its own, so that it needs no root, and an empty list of installed packages, so that it brings them all.
fetch_debian_crates() {
  local work="$crates.partial" apt packages
  rm -rf "$work"
  mkdir -p "$work"/{state/lists/partial,cache/archives/partial,debs,root}
  echo "deb [signed-by=$(debian_keyring)] $(debian_mirror) $debian_release main" > "$work/sources.list"
  : > "$work/status"
  apt=(-qq -o "Dir::State=$work/state" -o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache"
    -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o Debug::NoLocking=1 -o APT::Sandbox::User=)

  apt-get "${apt[@]}" update || fail "Debian's package lists could not be fetched"
  apt-cache "${apt[@]}" pkgnames librust- > "$work/names"
  mapfile -t packages < <(ruby bin/support/debian_names.rb "$work/names" <<< "$1")
  [ ${#packages[@]} -gt 0 ] || fail "Debian doesn't have all crates that Cargo.toml asks for"

  # Only the crates of all that apt would install: not the compilers and libraries that they name as well.
  apt-get "${apt[@]}" -o Acquire::ForceHash=SHA256 --print-uris -y --no-install-recommends install "${packages[@]}" |
    grep librust- > "$work/uris"
  download "$work/uris" "$work/debs" || fail "Debian's crates could not be fetched"
  local deb
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/root"; done

  rm -rf "$crates"
  mkdir "$work/done"
  mv "$work/root/usr/share/cargo/registry" "$work/done/registry"
  echo "$1" > "$work/done/wanted"
  mv "$work/done" "$crates"
  rm -rf "$work"
}

# Each line of the list is as apt prints it: 'URI' NAME SIZE SHA256:SUM. The sums are in Debian's signed index.
download() {
  (
    cd "$2" || exit
    cut -d"'" -f2 "$1" | xargs -P8 -n16 curl -sSfL --retry 3 --remote-name-all &&
      awk -F"'" '{ n = split($2, path, "/"); sub(/.*SHA256:/, "", $3); print $3 "  " path[n] }' "$1" | sha256sum --check --quiet
  )
}
