-- Deletes the weight and the name of a partition without waiting and running jobs; and the queue's state, if that was the last.
-- @needs weights, names
-- @gives forget
-- @include sweep: sweep
local function forget(partition)
  redis.call('HDEL', weights, partition)
  redis.call('HDEL', names, partition)
  sweep()
end
