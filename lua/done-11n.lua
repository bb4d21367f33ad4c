--[[
Ends a worker's job: writes what Resque writes when a worker is done, and releases the lease. The release does nothing if the
lease is gone.

KEYS   the ten of includes/keys.lua, [11] the worker's record, then a counter each
Touches main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] lease id  [3] cap (0: none)  [4] charge: 'time' or 'jobs'  then by how much each counter grows
Reply  { released (0 or 1), partition, in_flight }
]]
-- @include keys: state
-- @include forget: forget
-- @include finish: finish

-- Changes nothing, but a Redis that is out of memory lets a script go on whose first write was a removal.
redis.call('HDEL', state, '-')
for at = 5, #ARGV do redis.call('INCRBY', KEYS[at + 7], ARGV[at]) end
local partition, in_flight, _, drained = finish(ARGV[2], tonumber(ARGV[3]), ARGV[4])
if drained then forget(partition) end
-- Last: if a command before this one fails, the record still says that the job has started, so it does not run again.
redis.call('DEL', KEYS[11])
if not partition then return { 0, '', 0 } end
return { 1, partition, in_flight }
