--[[
A worker is done with a job: what Resque writes then, and the release, in one. The release is harmless for a lease that is
gone.

KEYS   the ten of includes/keys.lua, [11] the worker's record, then a counter each
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] lease id  [3] cap (0: none)  [4] charge: 'time' or 'jobs'  then by how much each counter grows
Reply  { released (0 or 1), partition, in_flight }
]]
-- @include keys
-- @include forget: forget
-- @include finish: finish

-- The record goes first, as a removal that a full Redis allows.
redis.call('DEL', KEYS[11])
for at = 5, #ARGV do redis.call('INCRBY', KEYS[at + 7], ARGV[at]) end
local partition, in_flight, _, drained = finish(ARGV[2], tonumber(ARGV[3]), ARGV[4])
if not partition then return { 0, '', 0 } end
if drained then forget(partition) end
return { 1, partition, in_flight }
