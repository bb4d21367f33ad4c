-- A lease is "partition started charged tag owner element". `started` is in milliseconds. `charged`, the cost of the job to its
-- partition, and `tag`, the partition's tag after that, are in milliseconds of worker time / weight. (A partition that 0.1.0
-- named may contain spaces.)
-- @gives lease_fields
local function lease_fields(lease)
  return string.match(lease, '^(.-) (%d+) ([%d.]+) ([%d.]+) (%S+) (.*)$')
end
