--[[
Reads a page of an index. Answers the partitions on it whose oldest job was enqueued at `bound` or before.

KEYS   the ten of includes/keys.lua
Touches partitions, parked
ARGV   [1] root  [2] 'partitions' or 'parked'  [3] cursor: 0 at first, then the last reply's, until that is 0
       [4] bound: milliseconds, or '' for all
Reply  { next cursor, then for each partition: encoded id, time of enqueueing of its oldest job in milliseconds (0: not
       known, 0.1.0 wrote the job) }, in no order; a partition that moves during the pages may be on two of them
]]
-- @include keys: root, partitions, parked

local bound, reply = tonumber(ARGV[4]), {}
local page = redis.call('ZSCAN', ARGV[2] == 'parked' and parked or partitions, ARGV[3], 'COUNT', 1000)
reply[1] = page[1]
for i = 1, #page[2], 2 do
  local head = redis.call('LINDEX', root .. 'sub:' .. page[2][i], 0)
  if head then
    local queued = tonumber(string.sub(head, 1, 11), 16) or 0
    if not bound or queued <= bound then
      reply[#reply + 1] = page[2][i]
      reply[#reply + 1] = string.format('%.0f', queued)
    end
  end
end
return reply
