--[[
Reads a page of the chains, each with its state. The chain that started last is first.

KEYS   the ten of includes/chain_keys.lua
Touches expiring, active, INDEXES
ARGV   [1], [2] and [3] not used  [4] the start of all chains' keys  [5] offset  [6] limit  then statuses
Reply  { number of chains of 0.1.0 that are not adopted yet, id, { field, value, ... }, ... }
]]
-- @include chain_keys: active, INDEXES
-- @include chain_expired: drop_expired

local prefix, offset, limit = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
drop_expired(1000)

local found = {}
for at = 7, #ARGV do
  local index = INDEXES[ARGV[at]]
  -- With one status read just the page. With several, merge them from their first chain on.
  local from = #ARGV == 7 and offset or 0
  local page = redis.call('ZREVRANGE', index, from, offset + limit - 1, 'WITHSCORES')
  for i = 1, #page, 2 do found[#found + 1] = { page[i], tonumber(page[i + 1]), index } end
end
if #ARGV > 7 then
  table.sort(found, function(one, other)
    if one[2] ~= other[2] then return one[2] > other[2] end
    return one[1] > other[1]
  end)
end

local reply = { redis.call('SCARD', active) }
local first = #ARGV == 7 and 1 or offset + 1
for i = first, math.min(#found, first + limit - 1) do
  local fields = redis.call('HGETALL', prefix .. found[i][1] .. ':state')
  if #fields > 0 then
    reply[#reply + 1] = found[i][1]
    reply[#reply + 1] = fields
  else
    -- The state was evicted, or removed by hand.
    redis.call('ZREM', found[i][3], found[i][1])
  end
end
return reply
