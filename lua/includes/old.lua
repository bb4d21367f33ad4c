-- An element that 0.1.0 wrote starts with a brace. It has no time, has a copy in the main list instead of a ticket, and is not
-- counted in the total of waiting jobs.
-- @needs main
-- @gives is_old, drop_old_copy
local function is_old(element)
  return element and string.sub(element, 1, 1) == '{'
end

-- Removes the copy of an old element from the main list. Returns whether the element is old, and whether its copy was missing.
-- A missing copy means that somebody who knows only the main list has taken the job: a worker of 0.1.0's time ran it, somebody
-- dequeued it, or it was adopted between 0.1.0's two writes.
local function drop_old_copy(element)
  if not is_old(element) then return false, false end
  return true, redis.call('LREM', main, 1, element) == 0 and string.sub(element, 1, 9) == '{"class":'
end
