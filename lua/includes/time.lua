-- The server's clock in milliseconds. The workers' own clocks drift.
-- @gives now
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
