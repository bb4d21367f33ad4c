-- A lease is "partition started charged owner element": milliseconds, milliseconds of worker time / weight.
local function lease_fields(lease)
  return string.match(lease, '^(%S*) (%d+) (%S+) (%S+) (.*)$')
end
