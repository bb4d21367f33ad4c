-- Puts a partition that has waiting jobs into the index of those that may run, or into the index of the parked ones.
-- @needs root, partitions, state
-- @gives place
-- @include score: score_of
-- @include park: park
-- A small ZSET is a listpack, which is slow with fractional scores. A member of over 64 bytes makes it a skiplist for good.
local PAD = '================================================================='

local function place(partition, in_flight, tag, weight, cap, paused)
  local score = score_of(math.floor(in_flight / weight), tag)
  if paused or (cap > 0 and in_flight >= cap) then
    park(partition, score)
  elseif redis.call('ZADD', partitions, score, partition) == 1 and redis.call('ZCARD', partitions) == 1 then
    redis.call('ZADD', partitions, 0, PAD)
    redis.call('ZREM', partitions, PAD)
    -- This partition is alone in the index, but more jobs may run than it has: the index was evicted, or deleted by hand.
    local counts = redis.call('HMGET', state, 'pending', 'parked')
    local may_run = (tonumber(counts[1]) or 0) - (tonumber(counts[2]) or 0)
    if may_run > redis.call('LLEN', root .. 'sub:' .. partition) then redis.call('HSET', state, 'lost', 1) end
  end
end
