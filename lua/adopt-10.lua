--[[
Routes payloads that others pushed into the main list: each becomes a waiting job of its partition, and a ticket takes its
place. Stops at the first element that is not there any more: another worker was faster.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] cap (0: none)  [3] 'rotate': moves the elements looked at to the tail of the main list, so that
       the next call sees the next ones; else ''. Then for each element from the head on: its bytes, encoded partition
       (':' for a ticket, which stays as it is), configured weight or '', full id or ''
Reply  { elements looked at, payloads adopted, array of partition, pending, ... of each partition that got a job }
]]
-- @include keys: root, main, partitions, state
-- @include time: now
-- @include policy: LANE
-- @include put: put
-- @include weigh: weigh
-- @include counts: counts

local cap, rotate, looked_at, adopted = tonumber(ARGV[2]), ARGV[3] == 'rotate', 0, 0
local pending = {}

-- 0.1.0 wrote each job twice, into the main list and into its partition, which it named by the id as it was given. Returns
-- whether this script has turned the copy in the partition into the job.
local function take_over(partition, full_id, payload, element)
  if partition == LANE then return false end
  local raw = full_id
  if raw == '' then
    raw = string.gsub(partition, '%%(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end)
  end
  local sub = root .. 'sub:' .. raw
  if raw ~= partition then
    if redis.call('LREM', sub, 1, payload) == 1 and redis.call('DECR', root .. raw .. ':pending') <= 0 then
      redis.call('DEL', root .. raw .. ':pending')
    end
    if redis.call('EXISTS', sub) == 0 then redis.call('ZREM', partitions, raw) end
    return false
  end
  -- Replace the copy where it is, so that the order stays. A copy too far back to be found here is reported by the reserve
  -- that meets it. With `rotate` each copy is at the head when its turn arrives, and moves to the tail, in the same order.
  if rotate and redis.call('LINDEX', sub, 0) == payload then
    redis.call('RPUSH', sub, element)
    redis.call('LPOP', sub)
  else
    local at = redis.call('LPOS', sub, payload, 'MAXLEN', 128)
    if not at then return false end
    redis.call('LSET', sub, at, element)
  end
  redis.call('HINCRBY', state, 'pending', 1)
  return true
end

redis.call('LTRIM', main, 0, -1) -- Changes nothing, but lets a full Redis drain: see give_back in reserve.
for i = 4, #ARGV, 4 do
  local payload, partition = ARGV[i], ARGV[i + 1]
  if redis.call('LINDEX', main, looked_at) ~= payload then break end
  if partition ~= ':' then
    -- The ticket takes the payload's place, so pop the one that `put` adds at the tail.
    redis.call('LSET', main, looked_at, 'null')
    weigh(partition, ARGV[i + 2], ARGV[i + 3])
    local element = string.format('%011x', now) .. payload
    if not take_over(partition, ARGV[i + 3], payload, element) then
      pending[partition] = put('RPUSH', partition, element, cap)
      redis.call('RPOP', main)
    end
    adopted = adopted + 1
  end
  looked_at = looked_at + 1
end
if rotate then
  -- All elements looked at are tickets now, and tickets are all alike.
  for _ = 1, looked_at do redis.call('LPOP', main) end
  for _ = 1, looked_at do redis.call('RPUSH', main, 'null') end
end
return { looked_at, adopted, counts(pending) }
