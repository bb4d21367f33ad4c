--[[
Ends a lease, because its job has ended, well or not. Does nothing if the lease is gone.

KEYS   the ten of includes/keys.lua
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] lease id  [3] cap (0: none)  [4] charge: 'time' or 'jobs'
Reply  { released (0 or 1), partition, in_flight }
]]
-- @include keys
-- @include forget: forget
-- @include finish: finish

local partition, in_flight, _, drained = finish(ARGV[2], tonumber(ARGV[3]), ARGV[4])
if not partition then return { 0, '', 0 } end
if drained then forget(partition) end
return { 1, partition, in_flight }
