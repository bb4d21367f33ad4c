--[[
Puts one job into its partition.

KEYS   the ten of includes/keys.lua
Touches queues, main, partitions, parked, leases, state, tags, settings, weights, names
ARGV   [1] root  [2] queue  [3] encoded partition, or % for the lane of jobs without a partition  [4] payload
       [5] cap (0: none)  [6] configured weight, or ''  [7] the partition's full id if [3] is shortened, or ''
Reply  { 'queued', pending of the partition }, or { 'plain', 0 } if a job without a partition went into the main list
]]
-- @include keys
-- @include enqueue: enqueue

return { enqueue(ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6], ARGV[7]) }
