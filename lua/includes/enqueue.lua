-- Puts one job into its partition. Returns 'queued' and the partition's pending count. A job without a partition goes into the
-- main list, as stock Resque does it, if the queue has no fair-share state (any more): returns 'plain' and 0.
-- @needs queues, main, state
-- @gives enqueue
-- @include time: now
-- @include policy: LANE
-- @include put: put
-- @include weigh: weigh
local function enqueue(queue, partition, payload, cap, weight, name)
  if partition == LANE and redis.call('EXISTS', state) == 0 then
    redis.call('SADD', queues, queue)
    redis.call('RPUSH', main, payload)
    return 'plain', 0
  end
  -- Few queues have weights or parked partitions. Where the state names none, skip the look-ups.
  local s = redis.call('HMGET', state, 'weighted', 'parked')
  if s[1] or weight ~= '' or name ~= '' then weigh(partition, weight, name) end
  local some_parked = (tonumber(s[2]) or 0) > 0
  local waiting, listed = put('RPUSH', partition, string.format('%011x', now) .. payload, cap, some_parked)
  -- Resque removes a queue's name only together with its list: a list that had jobs before has its name.
  if waiting == 1 or listed == 1 then redis.call('SADD', queues, queue) end
  return 'queued', waiting
end
