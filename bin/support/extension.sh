# shellcheck shell=bash
# Sourced by bin/setup: the compiled extension.

ensure_extension() {
  if extension_current; then
    step "Extension: already compiled"
    return
  fi
  step "Extension: compiling it (one to three minutes the first time; the compiler's output is in tmp/log/compile.log)"
  mkdir -p tmp
  ruby -v > tmp/compiling # dated at the start: a file that is edited meanwhile counts as newer
  logged compile bundle exec rake compile || fail "the extension could not be compiled"
  mv tmp/compiling tmp/compiled
}

# rake would find out itself, but takes ten seconds for it.
extension_current() {
  compgen -G 'lib/resque/fair_share/resque_fair_share.*' >/dev/null &&
    [ "$(cat tmp/compiled 2>/dev/null)" = "$(ruby -v)" ] &&
    [ -z "$(find Cargo.toml Cargo.lock ext lua -newer tmp/compiled -print -quit)" ]
}
