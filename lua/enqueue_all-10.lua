--[[
Puts many jobs into their partitions: all of them or, if Redis refuses the first write, none.

KEYS   the ten of includes/keys.lua
Touches queues, main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] queue  [3] cap (0: none), then for each job: encoded partition, payload, configured weight or '',
       full id or ''
Reply  for each job, pending of its partition after it
]]
-- @include keys: queues
-- @include time: now
-- @include put: put
-- @include weigh: weigh

local cap, element_time, counts = tonumber(ARGV[3]), string.format('%011x', now), {}
redis.call('SADD', queues, ARGV[2])
for i = 4, #ARGV, 4 do
  weigh(ARGV[i], ARGV[i + 2], ARGV[i + 3])
  counts[#counts + 1] = put('RPUSH', ARGV[i], element_time .. ARGV[i + 1], cap)
end
return counts
