-- Deletes the queue's state when nothing waits or runs. Keeps it while the main list has payloads, of others or legacy_scan's,
-- which still have to take turns; except after a rollback. Returns whether nothing is left.
-- @needs main, partitions, parked, leases, state, tags, weights, names
-- @gives sweep
local function sweep()
  if redis.call('EXISTS', partitions, parked, leases) > 0 then return false end
  if redis.call('EXISTS', main) == 1 and not redis.call('HGET', state, 'rolled_back') then return false end
  redis.call('DEL', state, tags, weights, names)
  return true
end
