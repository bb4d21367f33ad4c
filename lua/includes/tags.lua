-- Keeps the tag of a drained partition until the clock has passed it, so that draining and returning earns nothing. Each call
-- removes up to two tags that the clock has passed. The set is bounded: beyond that it loses the tag to be passed next.
-- @needs tags
-- @gives keep_tag
local MOST_TAGS = 10000

local function keep_tag(partition, tag, clock)
  if tag > clock - 1 then redis.call('ZADD', tags, tag, partition) else redis.call('ZREM', tags, partition) end
  local passed = redis.call('ZRANGEBYSCORE', tags, '-inf', clock - 1, 'LIMIT', 0, 2)
  for _, member in ipairs(passed) do redis.call('ZREM', tags, member) end
  if redis.call('ZCARD', tags) > MOST_TAGS then redis.call('ZREMRANGEBYRANK', tags, 0, 0) end
end
