--[[
Routes payloads that somebody else pushed into the main list: each becomes a waiting job of its partition, and a ticket
takes its place. Stops at the first that is not there any more: another worker was faster.

KEYS   the ten of includes/keys.lua
ARGV   [1] root  [2] cap (0: none), then for each element from the head on: its bytes, encoded partition ('' for a
       ticket: left alone), configured weight or '', full id or ''
Reply  number of payloads that were adopted
]]
local cap, adopted = tonumber(ARGV[2]), 0
for i = 3, #ARGV, 4 do
  local index, payload, partition = (i - 3) / 4, ARGV[i], ARGV[i + 1]
  if redis.call('LINDEX', main, index) ~= payload then break end
  if partition ~= '' then
    -- The payload's own place becomes the ticket, so the one that `put` adds at the tail goes again.
    redis.call('LSET', main, index, 'null')
    if ARGV[i + 2] ~= '' or ARGV[i + 3] ~= '' then weigh(partition, ARGV[i + 2], ARGV[i + 3]) end
    put('RPUSH', partition, string.format('%011x', now) .. payload, cap)
    redis.call('RPOP', main)
    adopted = adopted + 1
  end
end
return adopted
