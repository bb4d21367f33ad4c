-- Each chain is in the index of its status, scored by its start. A finished chain is in `expiring` as well.
-- @gives expire, move
-- @include chain_keys: id, ttl, chain, steps, context, expiring, INDEXES
-- @include time: now
-- @include chain_expired: FINISHED, drop_expired
local function expire()
  for _, key in ipairs({ chain, steps, context }) do redis.call('PEXPIRE', key, ttl) end
  redis.call('ZADD', expiring, now + ttl, id)
end

-- Gives the chain another status. Returns milliseconds since its start.
local function move(from, to)
  local started = tonumber(redis.call('ZSCORE', INDEXES[from], id)) or now
  redis.call('ZREM', INDEXES[from], id)
  redis.call('ZADD', INDEXES[to], started, id)
  redis.call('HSET', chain, 'status', to)
  if FINISHED[to] then
    expire()
  elseif FINISHED[from] then
    for _, key in ipairs({ chain, steps, context }) do redis.call('PERSIST', key) end
    redis.call('ZREM', expiring, id)
  end
  drop_expired(2)
  return now - started
end
