--[[
Ends the lease of an owner that is gone. If the worker's record names the lease, the job had started, and Resque itself fails
it. Otherwise the job never started, and goes back to the head of its partition.

KEYS   the ten of includes/keys.lua, [11] the worker's record
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] lease id  [3] cap (0: none)  [4] charge: 'time' or 'jobs'
Reply  { 'gone' (there is no such lease), 'freed' or 'requeued', partition, pending (requeued only), in_flight }
]]
-- @include keys
-- @include time: now
-- @include put: put
-- @include forget: forget
-- @include finish: finish

local id, cap = ARGV[2], tonumber(ARGV[3])
local record = redis.call('GET', KEYS[11])
local started = record and string.find(record, '"' .. id .. '"', 1, true)

local partition, in_flight, element, drained = finish(id, cap, ARGV[4], not started and 0 or nil)
if not partition then return { 'gone', '', 0, 0 } end
if not started then
  if string.sub(element, 1, 1) == '{' then element = string.format('%011x', now) .. element end
  return { 'requeued', partition, put('LPUSH', partition, element, cap), in_flight }
end
if drained then forget(partition) end
return { 'freed', partition, 0, in_flight }
