-- A lease is "partition started charged tag owner element": its start in milliseconds; what it was charged, and the
-- partition's tag after that, in milliseconds of worker time / weight. (A partition that 0.1.0 named may hold spaces.)
-- @gives lease_fields
local function lease_fields(lease)
  return string.match(lease, '^(.-) (%d+) ([%d.]+) ([%d.]+) (%S+) (.*)$')
end
