-- A queue without a waiting and a running job leaves nothing behind. (While payloads of others, or legacy_scan's, are in the
-- main list, turns are still to be taken.)
local function sweep()
  if redis.call('EXISTS', partitions, parked, leases, main) == 0 then redis.call('DEL', state, tags, weights, names) end
end

-- Nor does a partition.
local function forget(partition)
  redis.call('HDEL', weights, partition)
  redis.call('HDEL', names, partition)
  sweep()
end
