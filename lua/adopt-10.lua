--[[
Routes payloads that somebody else pushed into the main list: each becomes a waiting job of its partition, and a ticket
takes its place. Stops at the first that is not there any more: another worker was faster.

KEYS   the ten of includes/keys.lua
ARGV   [1] root  [2] cap (0: none)  [3] 'rotate': what was looked at goes to the tail of the main list, so that a next call
       sees the next; else ''. Then for each element from the head on: its bytes, encoded partition ('' for a ticket:
       left alone), configured weight or '', full id or ''
Reply  { elements looked at, payloads adopted }
]]
local cap, looked_at, adopted = tonumber(ARGV[2]), 0, 0
for i = 4, #ARGV, 4 do
  local payload, partition = ARGV[i], ARGV[i + 1]
  if redis.call('LINDEX', main, looked_at) ~= payload then break end
  if partition ~= '' then
    -- The payload's own place becomes the ticket, so the one that `put` adds at the tail goes again.
    redis.call('LSET', main, looked_at, 'null')
    -- 0.1.0 wrote each job twice: its copy in the partition goes, and comes back below with a time.
    if redis.call('LREM', root .. 'sub:' .. partition, 1, payload) == 1 then
      redis.call('DECR', root .. partition .. ':pending')
    end
    if ARGV[i + 2] ~= '' or ARGV[i + 3] ~= '' then weigh(partition, ARGV[i + 2], ARGV[i + 3]) end
    put('RPUSH', partition, string.format('%011x', now) .. payload, cap)
    redis.call('RPOP', main)
    adopted = adopted + 1
  end
  looked_at = looked_at + 1
end
if ARGV[3] == 'rotate' then
  -- All of them are tickets now, and one ticket is like another.
  for _ = 1, looked_at do redis.call('LPOP', main) end
  for _ = 1, looked_at do redis.call('RPUSH', main, 'null') end
end
return { looked_at, adopted }
