-- A chain's script may enqueue into several queues. For each job KEYS holds ten more keys: those of the job's queue.
-- `choose_queue` chooses the queue that the fragments of the fair queue work on.
-- @gives root, queues, main, partitions, parked, leases, state, tags, settings, weights, names, choose_queue
local queues, main, partitions, parked, leases, state, tags, settings, weights, names, root

local function choose_queue(first, its_root)
  queues, main, partitions, parked, leases = KEYS[first], KEYS[first + 1], KEYS[first + 2], KEYS[first + 3], KEYS[first + 4]
  state, tags, settings, weights, names = KEYS[first + 5], KEYS[first + 6], KEYS[first + 7], KEYS[first + 8], KEYS[first + 9]
  root = its_root
end
