-- Elements that 0.1.0 wrote start with a brace: they have no time, a copy in the main list in place of a ticket, and are not
-- counted in the total. => whether it was one; its copy is gone then.
local function drop_old_copy(element)
  if string.sub(element, 1, 1) ~= '{' then return false end
  redis.call('LREM', main, 1, element)
  return true
end
