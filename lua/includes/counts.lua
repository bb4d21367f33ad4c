-- Lists counts of partitions as replies hold them: partition, count, ...
-- @gives counts
local function counts(of)
  local reply = {}
  for partition, count in pairs(of) do
    reply[#reply + 1] = partition
    reply[#reply + 1] = count
  end
  return reply
end
