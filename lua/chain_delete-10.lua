--[[
Removes all keys of a chain that has ended.

KEYS   the ten of includes/chain_keys.lua
Touches chain, steps, context, expiring, INDEXES
ARGV   [1] chain id  [2] and [3] not used
Reply  1, or 0 if there is no such chain, or it is running or paused
]]
-- @include chain_keys: id, chain, steps, context, expiring, INDEXES

local status = redis.call('HGET', chain, 'status')
if not status or status == 'running' or status == 'paused' then return 0 end
redis.call('DEL', chain, steps, context)
redis.call('ZREM', expiring, id)
for _, index in pairs(INDEXES) do redis.call('ZREM', index, id) end
return 1
