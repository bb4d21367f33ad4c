# shellcheck shell=bash
# Sourced by what needs a Redis of its own. start_redis exports REDIS_URL and REDIS_SOCKET; the caller ends it:
#   trap stop_redis EXIT
#   start_redis

start_redis() {
  local port
  redis_folder=$(mktemp -d "${TMPDIR:-/tmp}/fair-share-redis.XXXXXX")
  export REDIS_SOCKET="$redis_folder/redis.sock"
  # Between looking for a free port and taking it somebody else may have: then the next one.
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    port=$(ruby -rsocket -e 'puts TCPServer.new("127.0.0.1", 0).addr[1]')
    launch_redis "$port"
    if redis_answers; then
      export REDIS_URL="redis://127.0.0.1:$port/0"
      return
    fi
  done
  fail "redis-server did not start: $(cat "$redis_folder/log")"
}

launch_redis() {
  local own_group=()
  # In a session of its own it doesn't get the terminal's Ctrl-C, and is there until the caller has cleaned up.
  if has setsid; then own_group=(setsid); fi
  "${own_group[@]}" redis-server --bind 127.0.0.1 --port "$1" --unixsocket "$REDIS_SOCKET" --dir "$redis_folder" \
    --save '' --appendonly no --daemonize no --loglevel warning > "$redis_folder/log" 2>&1 &
  redis_pid=$!
}

# Only this server has the socket in this folder: the answer can't be another one's.
redis_answers() {
  while kill -0 "$redis_pid" 2>/dev/null; do
    if [ "$(redis-cli -s "$REDIS_SOCKET" ping 2>/dev/null)" = PONG ]; then return 0; fi
    sleep 0.05
  done
  return 1
}

stop_redis() {
  if [ -n "${redis_pid:-}" ]; then
    kill "$redis_pid" 2>/dev/null || true
    wait "$redis_pid" 2>/dev/null || true
    redis_pid=''
  fi
  if [ -n "${redis_folder:-}" ]; then rm -rf "$redis_folder"; fi
}
