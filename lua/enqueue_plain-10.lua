--[[
Puts one whole job into the main list, as dequeue_strategy = :legacy_scan stores jobs, and counts it.

KEYS   the ten of includes/keys.lua
Touches queues, main
ARGV   [1] root  [2] queue  [3] encoded partition  [4] payload
Reply  pending of the partition
]]
-- @include keys
-- @include enqueue_plain: enqueue_plain

return enqueue_plain(ARGV[2], ARGV[3], ARGV[4])
