-- Puts one job where it belongs => 'queued' and its partition's pending count; or 'plain' and 0 where an unpartitioned job
-- went into the main list as stock Resque has it, because the queue has no fair-share state (any more).
local function enqueue(queue, partition, payload, cap, weight, name)
  if partition == LANE and redis.call('EXISTS', state) == 0 then
    redis.call('SADD', queues, queue)
    redis.call('RPUSH', main, payload)
    return 'plain', 0
  end
  -- What few queues have, weights and parked partitions, is not looked at for each job.
  local s = redis.call('HMGET', state, 'weighted', 'parked')
  local told = weight ~= '' or name ~= ''
  if told then weigh(partition, weight, name) end
  local some_parked = (tonumber(s[2]) or 0) > 0
  local waiting, listed = put('RPUSH', partition, string.format('%011x', now) .. payload, cap, some_parked)
  -- A weight that is not configured any more. Not before: a full Redis lets a script go on that began with a removal.
  if s[1] and not told then weigh(partition, weight, name) end
  -- Its name goes with its list, never without.
  if waiting == 1 or listed == 1 then redis.call('SADD', queues, queue) end
  return 'queued', waiting
end
