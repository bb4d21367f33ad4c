-- Start-time fair queuing (Goyal, Vin, Cheng 1996). A partition that joins starts at the clock, so that idling earns nothing,
-- and one unit below it, so that it goes before partitions with an equal tag. Each join moves the clock by a hair: partitions
-- that join at the same clock are served in the order in which they joined, not by name.
-- @needs root, main, partitions, parked, leases, state, tags, settings
-- @gives put
-- @include time: now
-- @include score: FIRST_CLOCK
-- @include policy: policy
-- @include place: place
local HAIR = 1 / 65536

local function join(partition, cap)
  local s = redis.call('HMGET', state, 'clock', 'weighted', 'rolled_back')
  local clock = (tonumber(s[1]) or FIRST_CLOCK) + HAIR
  if s[1] then
    redis.call('HSET', state, 'clock', clock)
    if s[3] then redis.call('HDEL', state, 'rolled_back') end
  else
    redis.call('HSET', state, 'clock', clock, 'reconciled', now)
    -- Few queues have run-time settings. Note their absence once, so that other calls skip the look-up.
    if redis.call('EXISTS', settings) == 0 then redis.call('HSET', state, 'unset', 1) end
  end
  local in_flight = tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 0
  if in_flight > 0 and redis.call('EXISTS', leases) == 0 then
    -- A killed worker of 0.1.0 has left this count behind.
    in_flight = 0
    redis.call('DEL', root .. partition .. ':in_flight')
  end
  local tag = tonumber(redis.call('ZSCORE', tags, partition))
  if tag then redis.call('ZREM', tags, partition) end
  local weight, limit, paused = policy(partition, s[2], cap)
  place(partition, in_flight, math.max(tag or 0, clock - 1), weight, limit, paused)
end

-- Writes one waiting job and its ticket. Returns the partition's pending count, and the length of the main list. `command` is
-- RPUSH, or LPUSH for a job that goes back to the head. `some_parked` is false if the caller knows that no partition is parked.
local function put(command, partition, element, cap, some_parked)
  local waiting = redis.call(command, root .. 'sub:' .. partition, element)
  local listed = redis.call(command, main, 'null')
  local pending = redis.call('INCR', root .. partition .. ':pending')
  redis.call('HINCRBY', state, 'pending', '1')
  if pending == 1 and waiting == 1 then
    join(partition, cap)
  elseif some_parked ~= false and redis.call('ZSCORE', parked, partition) then
    redis.call('HINCRBY', state, 'parked', 1)
  elseif pending ~= waiting then
    -- Somebody else changed the list or the counter. Trust the list.
    redis.call('SET', root .. partition .. ':pending', waiting)
    if pending > waiting then redis.call('HINCRBY', state, 'pending', waiting - pending) end
    if not redis.call('ZSCORE', partitions, partition) then join(partition, cap) end
  end
  return waiting, listed
end
