--[[
Merges fields into a chain's context.

KEYS   the ten of includes/chain_keys.lua
Touches chain, context
ARGV   [1] chain id  [2] and [3] not used  then field, value, ...
Reply  { 'updated', revision, { field, value, ... of the whole context } }, { 'missing' }, or { 'old', started_at, context }
       if resque-job-chain 0.1.0 wrote the chain: adopt it first
]]
-- @include chain_keys: chain, context

local s = redis.call('HMGET', chain, 'status', 'run', 'started_at')
if not s[1] then return { 'missing' } end
if not s[2] then
  local text = redis.call('TYPE', context).ok == 'string' and redis.call('GET', context) or ''
  return { 'old', s[3] or '', text }
end

for at = 4, #ARGV, 2 do redis.call('HSET', context, ARGV[at], ARGV[at + 1]) end
local revision = redis.call('HINCRBY', chain, 'revision', 1)
local left = redis.call('PTTL', chain)
if left > 0 then redis.call('PEXPIRE', context, left) end
return { 'updated', tostring(revision), redis.call('HGETALL', context) }
