--[[
Starts a chain: writes its state, steps and context, and enqueues the jobs of its first step or group.

KEYS   the ten of includes/chain_keys.lua, then ten for each job (includes/chain_queue.lua)
Touches chain, steps, context, expiring, INDEXES; of each queue queues, main, partitions, parked, leases, state, tags,
       settings, weights, names
ARGV   [1] chain id  [2] run  [3] time to live of a finished chain, ms  [4] total steps  [5] the chain's strategy or ''
       [6] groups or ''  [7] size of the first group  [8] '' or vetoed  [9] vetoed step  [10] message  [11] its class
       [12] number of words of the context  then these: field, value, ...  then each step  then the jobs
       (includes/chain_steps.lua)
Reply  { 'started' or 'exists', ms since the start or -1, pending of each job's partition ... }
]]
-- @include chain_keys: id, run, chain, steps, context, expiring, INDEXES
-- @include time: now
-- @include iso8601: now_text
-- @include chain_expired: FINISHED, drop_expired
-- @include chain_steps: start_steps
-- @include chain_break: break_chain

local total, size, words = tonumber(ARGV[4]), tonumber(ARGV[7]), tonumber(ARGV[12])

if redis.call('EXISTS', chain) == 1 then
  -- The same run means that this call has started the chain before, and is repeated because its reply was lost.
  return { redis.call('HGET', chain, 'run') == run and 'started' or 'exists', -1 }
end

-- Start the steps first: this can fail (a queue's key of another type), and nothing has changed yet.
local pendings = start_steps(13 + words + total)
redis.call('HSET', chain, 'status', 'running', 'current_step', 0, 'total_steps', total, 'started_at', now_text,
  'updated_at', now_text, 'run', run)
if ARGV[5] ~= '' then redis.call('HSET', chain, 'on_failure', ARGV[5]) end
if ARGV[6] ~= '' then redis.call('HSET', chain, 'groups', ARGV[6]) end
if size > 1 then redis.call('HSET', chain, 'left', size) end
redis.call('DEL', steps, context)
redis.call('ZREM', expiring, id)
for status in pairs(FINISHED) do redis.call('ZREM', INDEXES[status], id) end
redis.call('ZADD', INDEXES.running, now, id)
for at = 13, 12 + words, 2 do redis.call('HSET', context, ARGV[at], ARGV[at + 1]) end
for at = 13 + words, 12 + words + total do redis.call('RPUSH', steps, ARGV[at]) end

if ARGV[8] ~= '' then
  return { 'started', break_chain('running', ARGV[8], ARGV[9], ARGV[10], ARGV[11]) }
end
drop_expired(2)
return { 'started', 0, pendings }
