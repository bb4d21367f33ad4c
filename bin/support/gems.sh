# shellcheck shell=bash
# Sourced by bin/setup: the gems, in vendor/bundle unless another path is configured.

ensure_gems() {
  configure_path
  if bundle check >/dev/null 2>&1; then
    step "Gems: already there"
  else
    step "Gems: installing them (about a minute the first time)"
    logged gems bundle install || fail "the gems could not be installed"
  fi
}

# In the checkout's .bundle/config, so that plain `bundle exec` finds the gems as well. No root is needed and nothing
# else on the machine changes. The Ruby images of Docker set BUNDLE_APP_CONFIG, where --local would mean all projects.
configure_path() {
  if [ -n "${BUNDLE_APP_CONFIG:-}" ]; then return; fi
  case $(bundle config get path --parseable 2>/dev/null) in
    '' | path=) bundle config set --local path vendor/bundle ;;
  esac
}
