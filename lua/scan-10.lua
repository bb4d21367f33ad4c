--[[
Picks and leases a job for dequeue_strategy = :legacy_scan: the fairest that may run among the first jobs of the main list.

KEYS   the ten of includes/keys.lua
Touches main, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] lease id  [3] owner  [4] cap (0: none)  [5] charge: 'time' or 'jobs'  [6] 'again', as in reserve; else ''
       then for each element from the head on: its payload, encoded partition (':' if it is no job), configured weight or '',
       full id or ''
Reply  { status, reconcile due (always 0), partition, element, pending, in_flight }, as reserve; status 'job', 'none' (none
       may run) or 'again' (the list has changed)
]]
-- @include keys: root, main, leases, state, tags, weights, names
-- @include time: now
-- @include score: FIRST_CLOCK, EXPECTATION
-- @include policy: policy
-- @include lease: lease_fields
-- @include tags: keep_tag

local id, owner, cap, charge = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local s = redis.call('HMGET', state, 'clock', 'mean', 'weighted', 'unset')
local clock, mean = tonumber(s[1]) or FIRST_CLOCK, tonumber(s[2])

-- As in reserve, but looked up on every call, not only with 'again': speed matters less here.
local held = redis.call('HGET', leases, id)
if held then
  local partition, _, _, _, _, element = lease_fields(held)
  return { 'job', 0, partition, element, 0, tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 1 }
end

local best, seen = nil, {}
for i = 7, #ARGV, 4 do
  local partition = ARGV[i + 1]
  if partition ~= ':' and not seen[partition] then
    seen[partition] = true
    local weight, limit, paused = policy(partition, s[3], cap, s[4], ARGV[i + 2])
    local in_flight = tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 0
    if not paused and (limit == 0 or in_flight < limit) then
      local level, tag = math.floor(in_flight / weight), tonumber(redis.call('ZSCORE', tags, partition)) or clock - 1
      if not best or level < best.level or (level == best.level and tag < best.tag) then
        best = { at = i, partition = partition, weight = weight, level = level, tag = math.max(tag, clock - 1) }
      end
    end
  end
end
if not best then return { 'none', 0, '', '', 0, 0 } end

local index, payload, partition = (best.at - 7) / 4, ARGV[best.at], best.partition
if redis.call('LINDEX', main, index) ~= payload then return { 'again', 0, '', '', 0, 0 } end
-- Remove first: a Redis that is out of memory lets a script run whose first write is a removal, and so can drain. If the list
-- has the same bytes earlier, that copy goes: equal payloads are interchangeable.
redis.call('LREM', main, 1, payload)

if ARGV[best.at + 2] ~= '' then
  redis.call('HSET', weights, partition, ARGV[best.at + 2])
  redis.call('HSET', state, 'weighted', 1)
end
if ARGV[best.at + 3] ~= '' then redis.call('HSET', names, partition, ARGV[best.at + 3]) end
local pending = redis.call('DECR', root .. partition .. ':pending')
if pending <= 0 then redis.call('DEL', root .. partition .. ':pending') end
local in_flight = redis.call('INCR', root .. partition .. ':in_flight')
local charged = (charge == 'time' and mean or EXPECTATION) / best.weight
clock = math.max(clock, best.tag)
keep_tag(partition, best.tag + charged, clock)
redis.call('HSET', leases, id, partition .. ' ' .. now .. ' ' .. string.format('%.3f %.3f', charged, best.tag + charged) ..
  ' ' .. owner .. ' ' .. payload)
redis.call('HSET', state, 'clock', clock)
return { 'job', 0, partition, payload, math.max(pending, 0), in_flight }
