-- Ends a lease: frees its slot, and corrects the partition's charge to the worker time really used. `used`: milliseconds; nil:
-- measure them by the clock. Returns partition, in_flight, element, and true if the partition has neither a waiting nor a
-- running job. Returns nothing if the lease is gone, so that a release may run twice.
-- @needs root, partitions, parked, leases, state, tags
-- @gives finish
-- @include time: now
-- @include score: FIRST_CLOCK, EXPECTATION, tag_of, score_of
-- @include policy: policy
-- @include unpark: unpark
-- @include place: place
-- @include lease: lease_fields
-- @include tags: keep_tag
local function finish(id, cap, charge, used)
  local lease = redis.call('HGET', leases, id)
  if not lease then return end
  redis.call('HDEL', leases, id)
  local partition, started, charged, leased_tag, _, element = lease_fields(lease)
  local in_flight = redis.call('DECR', root .. partition .. ':in_flight')
  if in_flight <= 0 then
    in_flight = 0
    redis.call('DEL', root .. partition .. ':in_flight')
  end

  local s = redis.call('HMGET', state, 'clock', 'mean', 'weighted', 'unset')
  local clock, mean = tonumber(s[1]) or FIRST_CLOCK, tonumber(s[2])
  local weight, limit, paused = policy(partition, s[3], cap, s[4])
  local elapsed = math.max(now - started, 1)
  if not used then redis.call('HSET', state, 'mean', mean and mean + (elapsed - mean) / 16 or elapsed) end
  local cost = used or (charge == 'jobs' and EXPECTATION) or elapsed
  local correction = cost / weight - charged

  local score = tonumber(redis.call('ZSCORE', partitions, partition))
  if score then
    local tag = tag_of(score) + correction
    if math.floor(in_flight / weight) ~= math.floor(score) then tag = math.max(tag, clock - 1) end
    redis.call('ZADD', partitions, score_of(math.floor(in_flight / weight), tag), partition)
    return partition, in_flight, element
  end
  score = tonumber(redis.call('ZSCORE', parked, partition))
  if score then
    unpark(partition)
    place(partition, in_flight, math.max(tag_of(score) + correction, clock - 1), weight, limit, paused)
    return partition, in_flight, element
  end
  -- No tag was kept: the clock has passed it, or `reserve` has moved all tags down since. In the second case the lease's tag is
  -- far too high, so limit it to the clock.
  local tag = tonumber(redis.call('ZSCORE', tags, partition)) or math.min(leased_tag, clock)
  keep_tag(partition, tag + correction, clock)
  return partition, in_flight, element, in_flight == 0
end
