-- A parallel group is a run of consecutive steps, kept as "first-last,first-last" => index of the group's first step, size.
local function group_of(groups, index)
  for first, last in string.gmatch(groups or '', '(%d+)-(%d+)') do
    first, last = tonumber(first), tonumber(last)
    if first <= index and index <= last then return first, last - first + 1 end
  end
  return index, 1
end
