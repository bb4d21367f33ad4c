--[[
Brings a queue back in line with its lists and leases: tickets that a stock worker without this gem popped, counts that a
killed worker of 0.1.0 left behind, partitions that were parked under a lower cap.

KEYS   the ten of includes/keys.lua
ARGV   [1] root  [2] cap (0: none)
Reply  number of tickets that were put back (1000 at the most a call)
]]
local MOST, cap = 1000, tonumber(ARGV[2])
local s = redis.call('HMGET', state, 'clock', 'weighted')
local clock, running = tonumber(s[1]) or FIRST_CLOCK, {}
for _, lease in ipairs(redis.call('HVALS', leases)) do
  local partition = lease_fields(lease)
  if partition then running[partition] = (running[partition] or 0) + 1 end
end

local function mend(index, partition, score)
  local key, runs = root .. partition .. ':in_flight', running[partition] or 0
  local counted = (tonumber(redis.call('GET', key)) or 0) == runs
  local weight, limit, paused = policy(partition, s[2], cap)
  local may_run = not paused and (limit == 0 or runs < limit)
  if counted and (index == partitions or not may_run) then return end
  if runs > 0 then redis.call('SET', key, runs) else redis.call('DEL', key) end
  if index == parked then unpark(partition) else redis.call('ZREM', partitions, partition) end
  place(partition, runs, math.max(tag_of(score), clock - 1), weight, limit, paused)
end

for _, index in ipairs({ parked, partitions }) do
  local all = redis.call('ZRANGE', index, 0, MOST - 1, 'WITHSCORES')
  for i = 1, #all, 2 do mend(index, all[i], tonumber(all[i + 1])) end
end

if redis.call('EXISTS', partitions, parked) == 0 then redis.call('HDEL', state, 'pending', 'parked') end
sweep()
local pending = tonumber(redis.call('HGET', state, 'pending')) or 0
local missing = math.min(pending - redis.call('LLEN', main), MOST)
for _ = 1, missing do redis.call('RPUSH', main, 'null') end
return math.max(missing, 0)
