--[[
Pauses a running chain, or cancels a running or paused one.

KEYS   the ten of includes/chain_keys.lua
Touches chain, steps, context, expiring, INDEXES
ARGV   [1] chain id  [2] run  [3] time to live of a finished chain, ms  [4] request  [5] paused or cancelled
Reply  1, or 0 if the chain's status does not allow it
]]
-- @include chain_keys: run, chain
-- @include iso8601: now_text
-- @include chain_index: move

local request, wanted = ARGV[4], ARGV[5]
local s = redis.call('HMGET', chain, 'status', 'run', 'revision', 'last')
if s[4] == request .. ' ' .. wanted then return 1 end
if s[2] ~= run or not (s[1] == 'running' or (s[1] == 'paused' and wanted == 'cancelled')) then return 0 end

redis.call('HSET', chain, 'updated_at', now_text, 'revision', (s[3] or 0) + 1, 'last', request .. ' ' .. wanted)
move(s[1], wanted)
return 1
