--[[
Brings the main list back in line with what waits: a stock worker without this gem pops tickets and sees nothing.

KEYS   the ten of includes/keys.lua
ARGV   [1] root
Reply  number of tickets that were put back (1000 at the most a call)
]]
sweep()
local pending = tonumber(redis.call('HGET', state, 'pending')) or 0
local missing = math.min(pending - redis.call('LLEN', main), 1000)
for _ = 1, missing do redis.call('RPUSH', main, 'null') end
return math.max(missing, 0)
