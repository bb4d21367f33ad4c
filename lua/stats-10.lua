--[[
Reads the counts of a queue. Each is a stored count, or a command in O(1).

KEYS   the ten of includes/keys.lua
Touches partitions, parked, leases, state, settings
ARGV   [1] root
Reply  { pending, pending in parked partitions, in_flight, partitions with waiting jobs, how many of them are parked,
         paused partitions, mean job time in milliseconds or '' }
]]
-- @include keys: partitions, parked, leases, state, settings

local s = redis.call('HMGET', state, 'pending', 'parked', 'mean')
local parked_partitions = redis.call('ZCARD', parked)
return { tonumber(s[1]) or 0, tonumber(s[2]) or 0, redis.call('HLEN', leases),
         redis.call('ZCARD', partitions) + parked_partitions, parked_partitions,
         tonumber(redis.call('HGET', settings, '%paused')) or 0, s[3] or '' }
