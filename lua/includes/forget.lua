-- A partition without a waiting and a running job leaves nothing behind.
-- @needs weights, names
-- @gives forget
-- @include sweep: sweep
local function forget(partition)
  redis.call('HDEL', weights, partition)
  redis.call('HDEL', names, partition)
  sweep()
end
