-- A queue without a waiting and a running job leaves nothing behind. (While payloads of others, or legacy_scan's, are in the
-- main list, turns are still to be taken; not so after a rollback.) => whether it is empty.
-- @needs main, partitions, parked, leases, state, tags, weights, names
-- @gives sweep
local function sweep()
  if redis.call('EXISTS', partitions, parked, leases) > 0 then return false end
  if redis.call('EXISTS', main) == 1 and not redis.call('HGET', state, 'rolled_back') then return false end
  redis.call('DEL', state, tags, weights, names)
  return true
end
