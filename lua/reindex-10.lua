--[[
Puts partitions that have a list, but are in no index, back into one: an index was evicted, or deleted by hand.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] cap (0: none)  [3] 'last': these are the last partitions, else ''; then encoded partitions
Reply  number of partitions put back
]]
-- @include keys: root, partitions, parked, state, tags
-- @include score: FIRST_CLOCK
-- @include policy: policy
-- @include place: place
-- @include sweep: sweep

local cap, found = tonumber(ARGV[2]), 0
local s = redis.call('HMGET', state, 'clock', 'weighted')
local clock = tonumber(s[1]) or FIRST_CLOCK
if redis.call('EXISTS', parked) == 0 then redis.call('HDEL', state, 'parked') end

for i = 4, #ARGV do
  local partition = ARGV[i]
  local waiting = redis.call('LLEN', root .. 'sub:' .. partition)
  if waiting > 0 and not redis.call('ZSCORE', partitions, partition) and not redis.call('ZSCORE', parked, partition) then
    redis.call('SET', root .. partition .. ':pending', waiting)
    local in_flight = tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 0
    local tag = tonumber(redis.call('ZSCORE', tags, partition)) or 0
    redis.call('ZREM', tags, partition)
    local weight, limit, paused = policy(partition, s[2], cap)
    place(partition, in_flight, math.max(tag, clock - 1), weight, limit, paused)
    found = found + 1
  end
end

if ARGV[3] == 'last' then
  redis.call('HDEL', state, 'lost')
  if redis.call('EXISTS', partitions, parked) == 0 then
    redis.call('HDEL', state, 'pending', 'parked')
  elseif redis.call('EXISTS', partitions) == 0 then
    redis.call('HSET', state, 'pending', redis.call('HGET', state, 'parked') or 0)
  end
  sweep()
end
return found
