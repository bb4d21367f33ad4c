--[[
Counts the chains of each status.

KEYS   the ten of includes/chain_keys.lua
Touches expiring, active, INDEXES
ARGV   [1], [2] and [3] not used
Reply  { running (including those of 0.1.0 that are not adopted yet), paused, cancelled, completed, failed }
]]
-- @include chain_keys: active, INDEXES
-- @include chain_expired: drop_expired

drop_expired(1000)
local counts = {}
for i, status in ipairs({ 'running', 'paused', 'cancelled', 'completed', 'failed' }) do
  counts[i] = redis.call('ZCARD', INDEXES[status])
end
counts[1] = counts[1] + redis.call('SCARD', active)
return counts
