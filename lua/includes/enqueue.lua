-- Puts one job where it belongs => 'queued' and its partition's pending count; or 'plain' and 0 where an unpartitioned job
-- went into the main list as stock Resque has it, because the queue has no fair-share state (any more).
local function enqueue(queue, partition, payload, cap, weight, name)
  redis.call('SADD', queues, queue)
  if partition == LANE and redis.call('EXISTS', state) == 0 then
    redis.call('RPUSH', main, payload)
    return 'plain', 0
  end
  weigh(partition, weight, name)
  return 'queued', put('RPUSH', partition, string.format('%011x', now) .. payload, cap)
end
