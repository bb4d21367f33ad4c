--[[
Ends a step well: completed, or skipped after a failure. After the last step of a group,
starts the next group or ends the chain.

KEYS   the ten of includes/chain_keys.lua, then ten for each job (includes/chain_queue.lua)
Touches chain, steps, context, expiring, INDEXES; of each queue queues, main, partitions, parked, leases, state, tags,
       settings, weights, names
ARGV   [1] chain id  [2] run  [3] time to live of a finished chain, ms  [4] request  [5] step  [6] token or ''
       [7] completed or skipped  [8] revision from which the jobs were made  [9] index of the next group's first step
       [10] size of that group  [11] '', or failed or vetoed: its jobs could not be made  [12] at which step
       [13] message  [14] its class  then the jobs (includes/chain_steps.lua)
Reply  { result, ms since the chain's start if it has ended or -1, pending of each job's partition ... }; result is advanced,
       completed (the chain), broken (by [11]), counted (others of the group run, or the chain is paused or failed),
       resumed (somebody ran the step of a failed chain again by hand, and the chain goes on), again (the chain has
       changed since the jobs were made), stale or missing
]]
-- @include chain_keys: chain
-- @include iso8601: now_text
-- @include chain_index: move
-- @include chain_steps: start_steps
-- @include chain_fence: step, read_state, fence, repeated, note
-- @include chain_break: break_chain

local outcome, next_first, next_size = ARGV[7], tonumber(ARGV[9]), tonumber(ARGV[10])
local s = read_state()
local verdict = fence(s)
if verdict == 'repeated' then return repeated(s) end
if verdict == 'redone' and outcome ~= 'completed' then verdict = 'stale' end
if verdict ~= 'current' and verdict ~= 'redone' then return { verdict, -1 } end

-- A failed chain goes on if every other step of the group has ended well or is running.
local function only_this_one_was_left()
  for other = s.current, next_first - 1 do
    local its = redis.call('HGET', chain, 'step_status:' .. other)
    if other ~= tonumber(step) and its ~= 'running' and its ~= 'completed' and its ~= 'skipped' then return false end
  end
  return true
end

local left, status = s.left - 1, s.status
local resumes = verdict == 'redone' and only_this_one_was_left()
local ends = left == 0 and next_first >= s.total and (resumes or status ~= 'failed')
local goes_on = left == 0 and next_first < s.total and (resumes or status == 'running')
if goes_on and ARGV[8] ~= s.revision then return { 'again', -1 } end

-- A full Redis allows a removal as the first write, and after it all others: so the step can end although memory is short.
redis.call('HDEL', chain, '-')
-- Start the steps first: this can fail (a queue's key of another type), and nothing has changed yet.
local pendings = goes_on and start_steps(15) or {}
if resumes then
  move('failed', 'running')
  status = 'running'
  redis.call('HDEL', chain, 'error_message', 'error_class', 'error_step')
end
if outcome == 'completed' then
  redis.call('HSET', chain, 'step_status:' .. step, outcome, 'step_completed_at:' .. step, now_text)
else
  redis.call('HSET', chain, 'step_status:' .. step, outcome)
  redis.call('HINCRBY', chain, 'attempts:' .. step, 1)
end
if left > 0 or not (ends or goes_on) then redis.call('HSET', chain, 'left', left) end

if ends then
  note(s, 'completed', 'completed_at', now_text)
  return { 'completed', move(status, 'completed') }
elseif not goes_on then
  note(s, resumes and 'resumed' or 'counted')
  return { resumes and 'resumed' or 'counted', -1 }
end

if next_size > 1 then redis.call('HSET', chain, 'left', next_size) elseif s.grouped then redis.call('HDEL', chain, 'left') end
if ARGV[11] ~= '' then
  note(s, 'broken', 'current_step', ARGV[9])
  return { 'broken', break_chain(status, ARGV[11], ARGV[12], ARGV[13], ARGV[14]) }
end
note(s, resumes and 'resumed' or 'advanced', 'current_step', ARGV[9])
return { resumes and 'resumed' or 'advanced', -1, pendings }
