-- Keeps the tag of a partition that has drained, as long as the clock has not passed it: draining and returning buys
-- nothing. Each call drops two that were passed, and the set is bounded: what is dropped beyond that was the next to pass.
-- @needs tags
-- @gives keep_tag
local MOST_TAGS = 10000

local function keep_tag(partition, tag, clock)
  if tag > clock - 1 then redis.call('ZADD', tags, tag, partition) else redis.call('ZREM', tags, partition) end
  local passed = redis.call('ZRANGEBYSCORE', tags, '-inf', clock - 1, 'LIMIT', 0, 2)
  for _, member in ipairs(passed) do redis.call('ZREM', tags, member) end
  if redis.call('ZCARD', tags) > MOST_TAGS then redis.call('ZREMRANGEBYRANK', tags, 0, 0) end
end
