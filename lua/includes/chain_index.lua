-- Each chain is in the index of its status, scored by its start. A finished chain is in `expiring` as well: Redis deletes its
-- keys when their time is over, and each call removes some ids of such chains from the indexes.
-- @gives FINISHED, drop_expired, expire, move
-- @include chain_keys: id, ttl, chain, steps, context, expiring, INDEXES
-- @include time: now
local FINISHED = { completed = true, failed = true, cancelled = true }

local function drop_expired(most)
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', expiring, '-inf', now, 'LIMIT', 0, most)) do
    redis.call('ZREM', expiring, gone)
    for status in pairs(FINISHED) do redis.call('ZREM', INDEXES[status], gone) end
  end
end

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
