--[[
Picks the next job and leases it.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] lease id  [3] owner  [4] cap (0: none)  [5] charge: 'time' or 'jobs'
       [6] 'again': the caller has asked with this lease id before and saw no reply; else ''
       [7] 'ticket': the caller has popped a ticket from the main list already; else ''
Reply  { status, reconcile due (0 or 1), partition, element, pending, in_flight }
       status 'job'    the fields above are filled
              'none'   nothing may run now
              'plain'  the queue has no fair-share state: use stock Resque's LPOP
              'adopt'  a payload that others pushed is at the head of the main list; element is an array of its first elements
              'gone'   0.1.0 wrote element, and its copy in the main list is gone: it must not run again
              'again'  call again: this call could only park partitions, or remove tickets

Optimised for the common path. Redis formats each number that it is passed with 17 digits, which takes as long as a small
command: pass strings. Rare code is inlined at the end, because each run creates every function it defines.
]]
-- @include keys: root, main, partitions, parked, leases, state, tags
-- @include time: now
-- @include score: UNIT, FIRST_CLOCK, EXPECTATION, tag_of, score_of
-- @include policy: LANE, policy
-- @include park: park
-- @include lease: lease_fields
-- @include tags: keep_tag
-- @include old: is_old, drop_old_copy
-- @include sweep: sweep

local id, owner, cap, charge, again, hint = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7]
local PROBES, BATCH, LOOK, OFTEN, SELDOM, REBASE = 64, 64, 20000, 5000, 60000, UNIT / 2

local s = redis.call('HMGET', state, 'clock', 'mean', 'pending', 'reconciled', 'weighted', 'unset')
local clock, mean, total = tonumber(s[1]) or FIRST_CLOCK, tonumber(s[2]), tonumber(s[3]) or 0

-- Puts a ticket back into the main list. The LTRIM changes nothing, but a Redis that is out of memory lets a script go on
-- whose first write was a removal.
local function give_back()
  redis.call('LTRIM', main, 0, -1)
  redis.call('RPUSH', main, 'null')
end

-- Whether the caller's ticket counts: it goes back if no job is found for it. It does not count if `mend` has replaced it.
local given = hint == 'ticket' and redis.call('LLEN', main) < total

-- Answers with the job that this lease id got before.
local function same_again()
  local partition, _, _, _, _, element = lease_fields(redis.call('HGET', leases, id))
  return { 'job', 0, partition, element, redis.call('LLEN', root .. 'sub:' .. partition),
           tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 1 }
end
if again ~= '' and redis.call('HEXISTS', leases, id) == 1 then
  if given then give_back() end
  return same_again()
end

-- Tells at most one worker every few seconds to look for leases whose owner is gone.
local function due(interval)
  if not s[1] or now - (tonumber(s[4]) or 0) < interval then return 0 end
  redis.call('HDEL', state, 'reconciled') -- A removal first: see give_back.
  redis.call('HSET', state, 'reconciled', now)
  return 1
end

-- A tag must stay below 2^42, or it would count as a level. So once in decades all tags are moved down.
if clock > REBASE then
  local shift = clock - FIRST_CLOCK
  for _, key in ipairs({ partitions, parked }) do
    local all = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 1, #all, 2 do
      local score = tonumber(all[i + 1])
      redis.call('ZADD', key, score_of(math.floor(score), tag_of(score) - shift), all[i])
    end
  end
  redis.call('DEL', tags)
  clock = FIRST_CLOCK
  redis.call('HSET', state, 'clock', clock)
end

local popped, partition = given, nil
for _ = 1, PROBES do
  local top = redis.call('ZRANGE', partitions, '0', '0', 'WITHSCORES')
  partition = top[1]
  if not partition then break end
  local score = tonumber(top[2])
  local level = math.floor(score)
  local weight, limit, paused = 1, cap, false
  if s[5] or not s[6] or partition == LANE then weight, limit, paused = policy(partition, s[5], cap, s[6]) end
  local in_flight = level
  if weight ~= 1 then in_flight = tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 0 end

  if paused or (limit > 0 and in_flight >= limit) then
    redis.call('ZREM', partitions, partition)
    park(partition, score)
  else
    local sub, pending = root .. 'sub:' .. partition, root .. partition .. ':pending'
    -- Pop first: a Redis that is out of memory lets a script run whose first write is a removal, and so can drain.
    local ticket = popped or redis.call('LPOP', main)
    if ticket and ticket ~= true and ticket ~= 'null' then
      redis.call('LPUSH', main, ticket)
      -- Serve jobs that 0.1.0 wrote from their partition, so that their order stays.
      if not is_old(redis.call('LINDEX', sub, 0)) then
        return { 'adopt', 0, '', redis.call('LRANGE', main, 0, BATCH - 1), 0, 0 }
      end
      ticket = false
    end
    popped = ticket

    local element = redis.call('LPOP', sub)
    local old, gone = drop_old_copy(element)
    if gone then
      local waiting = redis.call('LLEN', sub)
      if waiting > 0 then
        redis.call('SET', pending, waiting)
      else
        redis.call('ZREM', partitions, partition)
        redis.call('DEL', pending)
      end
      if popped then give_back() end
      sweep()
      return { 'gone', 0, partition, element, waiting, 0 }
    elseif element then
      local running = root .. partition .. ':in_flight'
      local tag = tag_of(score)
      in_flight = redis.call('INCR', running)
      local charged = (charge == 'time' and mean or EXPECTATION) / weight
      local next_level, next_tag = math.floor(in_flight / weight), tag + charged
      clock = math.max(clock, tag)
      if next_level ~= level then next_tag = math.max(next_tag, clock - 1) end
      if redis.call('HSETNX', leases, id, partition .. ' ' .. now .. string.format(' %.3f %.3f ', charged, next_tag) ..
          owner .. ' ' .. element) == 0 then
        -- The caller repeated this call, and the repeat ran first. Nobody waits for the reply of this one.
        redis.call('DECR', running)
        redis.call('LPUSH', sub, element)
        if old then redis.call('LPUSH', main, element) end
        if popped then give_back() end
        return same_again()
      end
      if old then
        if ticket then redis.call('LPUSH', main, 'null') end
        total = total + 1
      end
      local waiting = redis.call('DECR', pending)
      -- The counter says that this was the last job, or the counter is wrong: ask the list.
      if waiting <= 0 then
        waiting = redis.call('LLEN', sub)
        if waiting > 0 then redis.call('SET', pending, waiting) end
      end
      if waiting == 0 then
        redis.call('DEL', pending)
        redis.call('ZREM', partitions, partition)
        keep_tag(partition, next_tag, clock)
      elseif limit > 0 and in_flight >= limit then
        redis.call('ZREM', partitions, partition)
        park(partition, score_of(next_level, next_tag))
      else
        redis.call('ZADD', partitions, score_of(next_level, next_tag), partition)
      end
      redis.call('HSET', state, 'clock', clock, 'pending', math.max(total - 1, 0) .. '')
      return { 'job', due(SELDOM), partition, element, waiting, in_flight }
    else
      -- The index has a partition whose list is gone (evicted, or deleted by hand).
      total = math.max(total - (tonumber(redis.call('GET', pending)) or 0), 0)
      redis.call('HSET', state, 'pending', total)
      redis.call('ZREM', partitions, partition)
      redis.call('DEL', pending)
      if sweep() then s[1] = nil end
    end
  end
end
if partition then
  if popped then give_back() end
  return { 'again', 0, '', '', 0, 0 }
end

-- Nothing may run. Remove tickets for which no job waits. Payloads that others pushed may be behind the tickets of parked
-- partitions: move the tickets before them to the tail, since tickets are all alike.
local stale = not s[1] or total == 0
if given and not stale then give_back() end
local size = redis.call('LLEN', main)
if stale then
  for _ = 1, BATCH do
    if redis.call('LINDEX', main, 0) ~= 'null' then break end
    redis.call('LPOP', main)
  end
elseif size > total then
  local tickets, met = 0, false
  while tickets < math.min(LOOK, size) and not met do
    for _, element in ipairs(redis.call('LRANGE', main, tickets, tickets + BATCH - 1)) do
      if element ~= 'null' then met = true break end
      tickets = tickets + 1
    end
  end
  -- After a full round, perhaps over several calls, without a payload: there are more tickets than jobs, so remove the surplus.
  local looked, of = string.match(redis.call('HGET', state, 'looked') or '', '^(%d+) (%d+)$')
  looked = (tonumber(of) == size and tonumber(looked) or 0) + tickets
  redis.call('HDEL', state, 'looked')
  if not met and looked >= size then
    redis.call('LREM', main, size - total, 'null')
  else
    redis.call('LTRIM', main, tickets, -1)
    for _ = 1, tickets do redis.call('RPUSH', main, 'null') end
    if not met then redis.call('HSET', state, 'looked', looked .. ' ' .. size) end
  end
end
local head = redis.call('LINDEX', main, 0)
-- Perhaps only the tickets just removed kept the state.
if not head and sweep() then s[1] = nil end
if not s[1] then return { head == 'null' and 'again' or 'plain', 0, '', '', 0, 0 } end
if head and head ~= 'null' then return { 'adopt', 0, '', redis.call('LRANGE', main, 0, BATCH - 1), 0, 0 } end
return { 'none', due(OFTEN), '', '', 0, 0 }
