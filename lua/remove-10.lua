--[[
Removes single waiting jobs of one partition.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, weights, names
ARGV   [1] root  [2] encoded partition, then elements as the partition's list holds them
Reply  { number of jobs removed, pending of the partition (0 if none was removed) }
]]
-- @include keys: root, main, partitions, parked, state
-- @include old: drop_old_copy
-- @include forget: forget

local partition = ARGV[2]
local sub, removed, counted = root .. 'sub:' .. partition, 0, 0
for i = 3, #ARGV do
  local times = redis.call('LREM', sub, 0, ARGV[i])
  removed, counted = removed + times, counted + times
  for _ = 1, times do
    if drop_old_copy(ARGV[i]) then counted = counted - 1 end
  end
end
local waiting = 0
if removed > 0 then
  if counted > 0 then redis.call('LREM', main, counted, 'null') end
  redis.call('HINCRBY', state, 'pending', -counted)
  if redis.call('ZSCORE', parked, partition) then redis.call('HINCRBY', state, 'parked', -removed) end
  waiting = redis.call('LLEN', sub)
  if waiting > 0 then
    redis.call('SET', root .. partition .. ':pending', waiting)
  else
    redis.call('DEL', root .. partition .. ':pending')
    redis.call('ZREM', partitions, partition)
    redis.call('ZREM', parked, partition)
    if redis.call('EXISTS', root .. partition .. ':in_flight') == 0 then forget(partition) end
  end
end
return { removed, waiting }
