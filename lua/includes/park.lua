-- Parks a partition. The state keeps the number of jobs in parked partitions, so that nobody has to sum them up.
-- @needs root, parked, state
-- @gives park
local function park(partition, score)
  redis.call('ZADD', parked, score, partition)
  redis.call('HINCRBY', state, 'parked', redis.call('LLEN', root .. 'sub:' .. partition))
end
