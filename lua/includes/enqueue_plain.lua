-- Puts one job into the main list, whole, as dequeue_strategy = :legacy_scan has it, and counts it => pending of its partition.
-- @needs root, queues, main
-- @gives enqueue_plain
local function enqueue_plain(queue, partition, payload)
  redis.call('SADD', queues, queue)
  redis.call('RPUSH', main, payload)
  return redis.call('INCR', root .. partition .. ':pending')
end
