--[[
Describes partitions: their counts, and the settings in force.

KEYS   the ten of includes/keys.lua
Touches state, settings, weights, names
ARGV   [1] root  [2] cap (0: none), then encoded partitions
Reply  for each: { pending, in_flight, weight, cap, paused (0 or 1), age of the oldest waiting job in
       milliseconds or '', full id or '' }
]]
-- @include keys: root, state, names
-- @include time: now
-- @include policy: policy

local weighted, rows = redis.call('HGET', state, 'weighted'), {}
for i = 3, #ARGV do
  local partition = ARGV[i]
  local weight, cap, paused, name = policy(partition, weighted, tonumber(ARGV[2]))
  local head = redis.call('LRANGE', root .. 'sub:' .. partition, 0, 0)[1]
  -- An element that 0.1.0 wrote starts with a brace, and has no time.
  local queued = head and tonumber(string.sub(head, 1, 11), 16)
  local age = queued and now - queued
  rows[#rows + 1] = {
    redis.call('LLEN', root .. 'sub:' .. partition),
    tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 0,
    string.format('%.17g', weight), cap, paused and 1 or 0, age and string.format('%.0f', math.max(age, 0)) or '',
    name or redis.call('HGET', names, partition) or ''
  }
end
return rows
