-- The keys of a queue: the same ten in every script. ARGV[1] is the root: the start of each partition's own keys.
-- @gives root, queues, main, partitions, parked, leases, state, tags, settings, weights, names
local queues, main, partitions, parked, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local state, tags, settings, weights, names = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local root = ARGV[1]
