-- The keys of a chain and of the indexes of all chains: the same ten in every script. Then the first arguments of every script.
-- @gives id, run, ttl, chain, steps, context, expiring, active, INDEXES
local chain, steps, context, expiring, active = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local INDEXES = { running = KEYS[6], paused = KEYS[7], cancelled = KEYS[8], completed = KEYS[9], failed = KEYS[10] }
local id, run, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])
