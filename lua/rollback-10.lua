--[[
Puts waiting jobs back into the main list, as stock Resque stores them, in the order in which reserves would serve them if all
jobs ran equally long. Parked partitions take their turns with the others.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] how many at most
Reply  { number of jobs moved, array of elements that 0.1.0 wrote and whose copy in the main list is gone (they must not run
       again), array of partition, pending, ... of each partition that jobs were taken from }; if no more jobs wait, the
       jobs moved and the elements together are fewer than [2]
]]
-- @include keys: root, main, partitions, parked, state
-- @include score: EXPECTATION, tag_of, score_of
-- @include policy: policy
-- @include unpark: unpark
-- @include old: drop_old_copy
-- @include sweep: sweep
-- @include counts: counts

local most, moved, lost_copies, pending = tonumber(ARGV[2]), 0, {}, {}
local weighted = redis.call('HGET', state, 'weighted')

for _, member in ipairs(redis.call('ZRANGE', parked, 0, most - 1)) do
  local score = redis.call('ZSCORE', parked, member)
  unpark(member)
  redis.call('ZADD', partitions, score, member)
end

-- Partitions with running jobs have a higher level, which puts them behind all others until these jobs end. Nothing ends here,
-- so they take their turns by their tags alone.
local running, scores = {}, redis.call('ZRANGEBYSCORE', partitions, 1, '+inf', 'WITHSCORES')
for i = 1, #scores, 2 do running[scores[i]] = tonumber(scores[i + 1]) end

local function next_partition()
  local top = redis.call('ZRANGE', partitions, 0, 0, 'WITHSCORES')
  local best, score = top[1], tonumber(top[2])
  for partition, its in pairs(running) do
    if tag_of(its) < tag_of(score) or (tag_of(its) == tag_of(score) and score >= 1 and partition < best) then
      best, score = partition, its
    end
  end
  return best, score
end

while moved + #lost_copies < most do
  local partition, score = next_partition()
  if not partition then break end
  local sub = root .. 'sub:' .. partition
  local element = redis.call('LPOP', sub)
  local old, gone = drop_old_copy(element)
  if gone then
    lost_copies[#lost_copies + 1] = element
  elseif element then
    if old then
      -- 0.1.0 wrote this job. Its copy has just been removed from the main list: put it at the tail.
      redis.call('RPUSH', main, element)
    else
      redis.call('LREM', main, 1, 'null')
      redis.call('RPUSH', main, string.sub(element, 12))
      redis.call('HINCRBY', state, 'pending', -1)
    end
    moved = moved + 1
  end
  if redis.call('EXISTS', sub) == 0 then
    redis.call('DEL', root .. partition .. ':pending')
    pending[partition] = 0
    redis.call('ZREM', partitions, partition)
    running[partition] = nil
  else
    pending[partition] = redis.call('DECR', root .. partition .. ':pending')
    if not gone then
      local weight = policy(partition, weighted, 0)
      local moved_on = score_of(math.floor(score), tag_of(score) + EXPECTATION / weight)
      redis.call('ZADD', partitions, moved_on, partition)
      if running[partition] then running[partition] = moved_on end
    end
  end
end
if redis.call('EXISTS', state) == 1 then redis.call('HSET', state, 'rolled_back', 1) end
sweep()
return { moved, lost_copies, counts(pending) }
