--[[
Changes the run-time settings of a partition. They override the configuration from the next reserve on, until they are taken
back.

KEYS   the ten of includes/keys.lua
Touches partitions, parked, state, settings, weights
ARGV   [1] root  [2] encoded partition  [3] weight  [4] cap  [5] paused: '1', '0' or ''  [6] the configuration's cap
       [7] full id if [2] is shortened, or ''.  For [3] to [5]: '' keeps the setting; for [3] and [4]: '-' takes it back
Reply  { weight, cap, paused } as they are in force now
]]
-- @include keys: root, partitions, parked, state, settings
-- @include score: FIRST_CLOCK, tag_of
-- @include policy: policy
-- @include unpark: unpark
-- @include place: place

local partition = ARGV[2]
local was = { string.match(redis.call('HGET', settings, partition) or '|||', '^([^|]*)|([^|]*)|([^|]*)|(.*)$') }

local function changed(given, old)
  if given == '' then return old end
  return given == '-' and '' or given
end

local weight, cap, pause = changed(ARGV[3], was[1]), changed(ARGV[4], was[2]), changed(ARGV[5], was[3])
if pause == '0' then pause = '' end
if weight == '' and cap == '' and pause == '' then
  redis.call('HDEL', settings, partition)
else
  redis.call('HSET', settings, partition, weight .. '|' .. cap .. '|' .. pause .. '|' .. ARGV[7])
end
if pause ~= was[3] and redis.call('HINCRBY', settings, '%paused', pause == '1' and 1 or -1) == 0 then
  redis.call('HDEL', settings, '%paused')
end

redis.call('HDEL', state, 'unset')
-- Move the partition at once: its level, and whether it is parked, depend on these settings.
local s = redis.call('HMGET', state, 'weighted', 'clock')
local w, limit, paused = policy(partition, s[1], tonumber(ARGV[6]))
local score = redis.call('ZSCORE', partitions, partition)
if score then
  redis.call('ZREM', partitions, partition)
else
  score = redis.call('ZSCORE', parked, partition)
  if score then unpark(partition) end
end
if score then
  local in_flight = tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 0
  place(partition, in_flight, math.max(tag_of(tonumber(score)), (tonumber(s[2]) or FIRST_CLOCK) - 1), w, limit, paused)
end
return { string.format('%.17g', w), limit, paused and 1 or 0 }
