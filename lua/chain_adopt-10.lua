--[[
Converts a chain that resque-job-chain 0.1.0 wrote: gives it a run, and makes its context a HASH.

KEYS   the ten of includes/chain_keys.lua
Touches chain, steps, context, expiring, active, INDEXES
ARGV   [1] chain id  [2] run  [3] time to live of a finished chain, ms  [4] its context as it was read  [5] its start, ms
       then field, value, ... of the context
Reply  1, or 0 if another process was faster, or the context has changed since it was read
]]
-- @include chain_keys: id, run, chain, context, active, INDEXES
-- @include chain_expired: FINISHED
-- @include chain_index: expire

local s = redis.call('HMGET', chain, 'status', 'run')
if not s[1] or s[2] then return 0 end
local text = redis.call('TYPE', context).ok == 'string' and redis.call('GET', context) or ''
if text ~= ARGV[4] then return 0 end

redis.call('HSET', chain, 'run', run)
redis.call('DEL', context)
for at = 6, #ARGV, 2 do redis.call('HSET', context, ARGV[at], ARGV[at + 1]) end
redis.call('SREM', active, id)
redis.call('ZADD', INDEXES[s[1]] or INDEXES.failed, ARGV[5], id)
if FINISHED[s[1]] then expire() end
return 1
