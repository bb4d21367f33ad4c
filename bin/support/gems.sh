# shellcheck shell=bash
# Sourced by bin/setup.

ensure_gems() {
  bundle check >/dev/null 2>&1 && return
  step "Installing the gems into ${BUNDLE_PATH#"$root/"}, which the first time takes about a minute"
  bundle install --quiet || fail "the gems could not be installed"
}
