# shellcheck shell=bash
# Sourced by bin/support/crates.sh. See README.md beside this file.

debian_release=forky
crates="$root/tmp/crates"
cargo_config="$root/.cargo/config.toml"
# A config file with this line is ours to overwrite and to delete.
mark='# Written by bin/setup: Debian packaged these crates, as crates.io could not be reached.'

debian_crates_available() { debian_keyring >/dev/null && has apt-get && has dpkg-deb; }

use_debian_crates() {
  local wanted
  wanted=$(cargo metadata --no-deps --format-version 1 | ruby bin/debian_crates/requirements.rb)
  if [ "$wanted" != "$(cat "$crates/wanted" 2>/dev/null)" ]; then
    step "Crates: fetching them from Debian $debian_release, as crates.io does not answer (about half a minute)"
    fetch_debian_crates "$wanted"
  else
    step "Crates: taking the packages that were fetched from Debian earlier"
  fi
  mkdir -p "$root/.cargo"
  # cargo resolves a relative path from the folder that holds .cargo.
  printf '%s\n' "$mark" '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' \
    'directory = "tmp/crates/registry"' > "$cargo_config"
  drop_lock
  crates_there || { cargo metadata --offline --format-version 1 >/dev/null || fail "Debian's crates do not fit Cargo.toml"; }
}

# Back to crates.io.
leave_debian_crates() {
  if grep -qsF "$mark" "$cargo_config"; then rm "$cargo_config"; fi
  if grep -qs 'Could not get crate checksum' Cargo.lock; then drop_lock; fi
}

drop_lock() { if ! git ls-files --error-unmatch Cargo.lock >/dev/null 2>&1; then rm -f Cargo.lock; fi; }

debian_keyring() { compgen -G '/usr/share/keyrings/debian-archive-keyring.[gp]*' | head -1 | grep .; }

# The mirror that this machine uses, or Debian's own.
debian_mirror() {
  local codename mirror
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' "Release: $codename" 'Component: main' | head -1)
  echo "${mirror:-http://deb.debian.org/debian/}"
}

# Works in a temporary folder that is renamed at the end, so tmp/crates is always complete. apt gets its own state
# folders, so it needs no root, and an empty list of installed packages, so it fetches every dependency.
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
  mapfile -t packages < <(ruby bin/debian_crates/packages.rb "$work/names" <<< "$1")
  [ ${#packages[@]} -gt 0 ] || fail "Debian does not have all crates that Cargo.toml needs"

  # Of all that apt would install take the crates only, not the compilers and libraries they depend on.
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
