--[[
Starts steps again: of a paused chain that is resumed, of a failed chain that is retried, or steps whose job is lost.

KEYS   the ten of includes/chain_keys.lua, then ten for each job (includes/chain_queue.lua)
Touches chain, steps, context, expiring, INDEXES; of each queue queues, main, partitions, parked, leases, state, tags,
       settings, weights, names
ARGV   [1] chain id  [2] run  [3] time to live of a finished chain, ms  [4] request  [5] status that the chain must
       have: paused, failed or running (to recover)  [6] revision from which the jobs were made  [7] index of the first step
       of the group that starts, or ''  [8] its size  [9] '', or failed or vetoed: the jobs could not be made  [10] at which
       step  [11] message  [12] its class  then the jobs (includes/chain_steps.lua)
Reply  { result, ms since the chain's start or -1, pending of each job's partition ... }; result is restarted, broken
       (by [9]), again (the chain has changed since the jobs were made) or refused (the chain has another status, or is
       missing)
]]
-- @include chain_keys: run, chain
-- @include iso8601: now_text
-- @include chain_index: move
-- @include chain_steps: JOB, start_steps
-- @include chain_break: break_chain

local request, wanted, enters = ARGV[4], ARGV[5], ARGV[7]
local s = redis.call('HMGET', chain, 'status', 'run', 'revision', 'last')
local last, revision = s[4] or '', s[3] or '0'
if string.sub(last, 1, #request + 1) == request .. ' ' then return { string.sub(last, #request + 2), -1 } end
if s[1] ~= wanted or s[2] ~= run then return { 'refused', -1 } end
if revision ~= ARGV[6] then return { 'again', -1 } end

local function note(result)
  redis.call('HSET', chain, 'updated_at', now_text, 'revision', revision + 1, 'last', request .. ' ' .. result)
end

-- Start the steps first: this can fail (a queue's key of another type), and nothing has changed yet.
local pendings = start_steps(13)
if enters ~= '' then
  redis.call('HSET', chain, 'current_step', enters)
  if ARGV[8] ~= '1' then redis.call('HSET', chain, 'left', ARGV[8]) else redis.call('HDEL', chain, 'left') end
end
if ARGV[9] ~= '' then
  note('broken')
  return { 'broken', break_chain(wanted, ARGV[9], ARGV[10], ARGV[11], ARGV[12]) }
end
note('restarted')
if wanted ~= 'running' then move(wanted, 'running') end
for at = 13, #ARGV, JOB do
  if wanted == 'failed' then
    redis.call('HDEL', chain, 'attempts:' .. ARGV[at])
  elseif wanted == 'running' then
    redis.call('HINCRBY', chain, 'attempts:' .. ARGV[at], 1)
  end
end
if wanted == 'failed' then redis.call('HDEL', chain, 'error_message', 'error_class', 'error_step') end
return { 'restarted', -1, pendings }
