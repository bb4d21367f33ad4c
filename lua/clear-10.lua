--[[
Removes all waiting jobs of the given partitions. Running jobs go on.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, weights, names
ARGV   [1] root, then encoded partitions
Reply  { number of jobs removed, array of the partitions that had some, whose pending is 0 now }
]]
-- @include keys: root, main, partitions, state
-- @include unpark: unpark
-- @include old: drop_old_copy
-- @include forget: forget

local removed, cleared = 0, {}
for i = 2, #ARGV do
  local partition = ARGV[i]
  local sub = root .. 'sub:' .. partition
  local waiting = redis.call('LLEN', sub)
  if waiting > 0 then
    local counted = waiting
    if string.sub(redis.call('LINDEX', sub, 0), 1, 1) == '{' then
      for _, element in ipairs(redis.call('LRANGE', sub, 0, -1)) do
        if drop_old_copy(element) then counted = counted - 1 end
      end
    end
    unpark(partition)
    redis.call('ZREM', partitions, partition)
    redis.call('UNLINK', sub)
    redis.call('DEL', root .. partition .. ':pending')
    if counted > 0 then redis.call('LREM', main, counted, 'null') end
    redis.call('HINCRBY', state, 'pending', -counted)
    removed = removed + waiting
    cleared[#cleared + 1] = partition
    if redis.call('EXISTS', root .. partition .. ':in_flight') == 0 then forget(partition) end
  end
end
return { removed, cleared }
