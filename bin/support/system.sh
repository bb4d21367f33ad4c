# shellcheck shell=bash
# Sourced by bin/setup: programs and libraries from the operating system.

ensure_system() {
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -gt 0 ]; then
    install_packages "${missing[@]}"
  else
    step "System packages: already there"
  fi

  ruby -e 'exit RUBY_VERSION >= "3.1"' || fail "Ruby 3.1 or newer is needed; this one is $(ruby -v)."
  ruby -r ./ext/resque_fair_share/toolchain -e 'ResqueFairShareToolchain.new.check!'
}

# Debian's names of what is missing. Looks for the programs and files themselves, however they were installed.
missing_packages() {
  if has ruby; then
    ruby_headers_there || echo ruby-dev
    libclang_there || echo libclang-dev
  else
    printf '%s\n' ruby ruby-dev libclang-dev
  fi
  has bundle || echo bundler
  has cc || has gcc || printf '%s\n' gcc libc6-dev
  has make || echo make
  has ps || echo procps # Resque asks ps which workers live, and without it takes all for dead
  has curl || printf '%s\n' curl ca-certificates
  if [ -z "${REDIS_URL:-}" ]; then has redis-server || echo redis-server; fi
}

ruby_headers_there() { ruby -rrbconfig -e 'exit File.file?("#{RbConfig::CONFIG["rubyhdrdir"]}/ruby.h")'; }

# The library alone (Debian's libclang1) is not enough where clang's headers are in a package of their own.
libclang_there() {
  ruby -r ./ext/resque_fair_share/toolchain -e 'exit !ResqueFairShareToolchain.new.libclang.nil?' || return 1
  ! on_debian || [ -n "${LIBCLANG_PATH:-}" ] || compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stdarg.h' >/dev/null
}

on_debian() { has apt-get && [ -f /etc/debian_version ]; }

install_packages() {
  if ! on_debian; then
    fail "missing on this machine, by the names of Debian's packages: $*. Install them, then run $0 again."
  elif [ "$(id -u)" != 0 ]; then
    fail "missing on this machine: $*. Install them, then run $0 again:

  sudo apt-get install $*"
  fi

  step "System packages: installing $* (up to a few minutes)"
  export DEBIAN_FRONTEND=noninteractive
  # With errors here the lists that are there may still do.
  logged apt-update apt-get update -qq || true
  logged apt-install apt-get install -y -qq --no-install-recommends "$@" || fail "apt-get could not install: $*"
  if [[ " $* " == *" redis-server "* ]]; then stop_packaged_redis; fi

  local still
  still=$(missing_packages | tr '\n' ' ')
  [ -z "$still" ] || fail "still missing after apt-get has installed its packages (check the PATH): $still"
}

# The package starts a service. The scripts here need only the program: each starts its own redis-server.
stop_packaged_redis() {
  if [ -d /run/systemd/system ]; then systemctl disable --quiet --now redis-server || true; fi
}
