--[[
Starts the next attempt of a step that has failed. In a paused chain the attempt waits for the resume.

KEYS   the ten of includes/chain_keys.lua, then the ten of the job's queue
Touches chain; of each queue queues, main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] chain id  [2] run  [3] time to live of a finished chain, ms  [4] request  [5] step  [6] token or ''
       [7] revision from which the job was made  then the job (includes/chain_steps.lua)
Reply  { result, -1, pending of the job's partition }; result is retrying, counted (the chain has failed meanwhile, so nothing
       is started), again (the chain has changed since the job was made), stale or missing
]]
-- @include chain_keys: chain
-- @include chain_steps: start_steps
-- @include chain_fence: step, read_state, fence, repeated, note

local s = read_state()
local verdict = fence(s)
if verdict == 'repeated' then return repeated(s) end
if verdict ~= 'current' then return { verdict == 'redone' and 'stale' or verdict, -1 } end
if s.status == 'running' and ARGV[7] ~= s.revision then return { 'again', -1 } end

redis.call('HDEL', chain, '-')
local pendings = s.status == 'running' and start_steps(8) or {}
redis.call('HINCRBY', chain, 'attempts:' .. step, 1)
if s.status == 'failed' then
  redis.call('HSET', chain, 'step_status:' .. step, 'failed')
  note(s, 'counted')
  return { 'counted', -1 }
end
note(s, 'retrying')
if s.status == 'paused' then redis.call('HSET', chain, 'step_status:' .. step, 'due') end
return { 'retrying', -1, pendings }
