--[[
Puts one job into the main list, whole, as dequeue_strategy = :legacy_scan has it, and counts it.

KEYS   the ten of includes/keys.lua
ARGV   [1] root  [2] queue  [3] encoded partition  [4] payload
Reply  pending of the partition
]]
redis.call('SADD', queues, ARGV[2])
redis.call('RPUSH', main, ARGV[4])
return redis.call('INCR', root .. ARGV[3] .. ':pending')
