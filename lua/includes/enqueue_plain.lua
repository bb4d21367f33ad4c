-- Puts one whole job into the main list, as dequeue_strategy = :legacy_scan stores jobs, and counts it. Returns the pending
-- count of its partition.
-- @needs root, queues, main
-- @gives enqueue_plain
local function enqueue_plain(queue, partition, payload)
  redis.call('SADD', queues, queue)
  redis.call('RPUSH', main, payload)
  return redis.call('INCR', root .. partition .. ':pending')
end
