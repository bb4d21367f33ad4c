-- A lease is "partition started charged tag owner element": its start in milliseconds; what it was charged, and the
-- partition's tag after that, in milliseconds of worker time / weight.
local function lease_fields(lease)
  return string.match(lease, '^(%S*) (%d+) (%S+) (%S+) (%S+) (.*)$')
end
