-- @needs root, parked, state
-- @gives unpark
local function unpark(partition)
  if redis.call('ZREM', parked, partition) == 1 then
    redis.call('HINCRBY', state, 'parked', -redis.call('LLEN', root .. 'sub:' .. partition))
  end
end
