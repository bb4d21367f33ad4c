--[[
Fails a step for good, and the chain with it. Other running steps of the group go on to their end; no further step is started.

KEYS   the ten of includes/chain_keys.lua
Touches chain, steps, context, expiring, INDEXES
ARGV   [1] chain id  [2] run  [3] time to live of a finished chain, ms  [4] request  [5] step  [6] token or ''
       [7] failed, or vetoed if its retry was  [8] message  [9] its class
Reply  { result, ms since the chain's start or -1 }; result is failed, counted (it had failed already), stale or missing
]]
-- @include chain_keys: chain
-- @include chain_index: move
-- @include chain_fence: step, read_state, fence, repeated, note

local s = read_state()
local verdict = fence(s)
if verdict == 'repeated' then return repeated(s) end
if verdict ~= 'current' then return { verdict == 'redone' and 'stale' or verdict, -1 } end

redis.call('HDEL', chain, '-')
redis.call('HINCRBY', chain, 'attempts:' .. step, 1)
redis.call('HSET', chain, 'step_status:' .. step, ARGV[7])
if s.status == 'failed' then
  note(s, 'counted')
  return { 'counted', -1 }
end
redis.call('HSET', chain, 'error_message', ARGV[8], 'error_class', ARGV[9], 'error_step', step)
note(s, 'failed')
return { 'failed', move(s.status, 'failed') }
