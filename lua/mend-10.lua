--[[
Corrects the next page of an index by the lists and leases: counts that a killed worker of 0.1.0 left behind, and partitions
that were parked under a lower cap. Also puts back tickets that a worker without this gem popped.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] cap (0: none)
Reply  { 1 at the end of an index (the next call begins the other one), else 0 (the next call goes on with this one),
         tickets put back (at most 1000), 1 if jobs wait in partitions that are in no index, else 0 }
]]
-- @include keys: root, main, partitions, parked, leases, state
-- @include score: FIRST_CLOCK, tag_of
-- @include policy: policy
-- @include unpark: unpark
-- @include place: place
-- @include lease: lease_fields
-- @include sweep: sweep

local MOST, cap = 1000, tonumber(ARGV[2])
local name, cursor = string.match(redis.call('HGET', state, 'mended') or 'parked 0', '^(%a+) (%d+)$')
local index = name == 'parked' and parked or partitions
local s = redis.call('HMGET', state, 'clock', 'weighted')
local clock, running = tonumber(s[1]) or FIRST_CLOCK, {}
for _, lease in ipairs(redis.call('HVALS', leases)) do
  local partition = lease_fields(lease)
  if partition then running[partition] = (running[partition] or 0) + 1 end
end

local function mend(partition, score)
  local key, runs = root .. partition .. ':in_flight', running[partition] or 0
  local counted = (tonumber(redis.call('GET', key)) or 0) == runs
  if counted and index == partitions then return end
  local weight, limit, paused = policy(partition, s[2], cap)
  if counted and (paused or (limit > 0 and runs >= limit)) then return end
  if runs > 0 then redis.call('SET', key, runs) else redis.call('DEL', key) end
  if index == parked then unpark(partition) else redis.call('ZREM', partitions, partition) end
  place(partition, runs, math.max(tag_of(score), clock - 1), weight, limit, paused)
end

local page = redis.call('ZSCAN', index, cursor, 'COUNT', MOST)
for i = 1, #page[2], 2 do mend(page[2][i], tonumber(page[2][i + 1])) end
local ended = page[1] == '0'
if ended then name = name == 'parked' and 'partitions' or 'parked' end

sweep()
if redis.call('EXISTS', state) == 1 then
  redis.call('HDEL', state, 'mended') -- A removal first: it lets a Redis that is out of memory write.
  redis.call('HSET', state, 'mended', name .. ' ' .. page[1])
end
local counts = redis.call('HMGET', state, 'pending', 'parked', 'lost')
local pending, in_parked = tonumber(counts[1]) or 0, tonumber(counts[2]) or 0
local lost = counts[3] or (in_parked > 0 and redis.call('EXISTS', parked) == 0) or
  (pending > in_parked and redis.call('EXISTS', partitions) == 0)
local missing = math.min(pending - redis.call('LLEN', main), MOST)
if lost then missing = 0 end -- Until a reindex, the number of waiting jobs is not known.
for _ = 1, missing do redis.call('RPUSH', main, 'null') end
return { ended and 1 or 0, math.max(missing, 0), lost and 1 or 0 }
