-- Redis deletes the keys of a finished chain when their time is over. Each call removes some ids of such chains from the indexes.
-- @gives FINISHED, drop_expired
-- @include chain_keys: expiring, INDEXES
-- @include time: now
local FINISHED = { completed = true, failed = true, cancelled = true }

local function drop_expired(most)
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', expiring, '-inf', now, 'LIMIT', 0, most)) do
    redis.call('ZREM', expiring, gone)
    for status in pairs(FINISHED) do redis.call('ZREM', INDEXES[status], gone) end
  end
end
