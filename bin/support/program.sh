# shellcheck shell=bash
# Sourced by bin/demo and bin/bench.

# check_options FOLDER MODULE ARGUMENT...: a wrong option is better reported before the set-up than after it.
check_options() {
  local argument
  for argument in "${@:3}"; do
    case $argument in -h | --help) cat "$1/help.txt"; exit ;; esac
  done
  if has ruby; then ruby -r "./$1/options" -e "$2::Options.parse(ARGV)" -- "${@:3}"; fi
}
