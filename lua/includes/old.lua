-- Elements that 0.1.0 wrote start with a brace: they have no time, a copy in the main list in place of a ticket, and are not
-- counted in the total.
-- @needs main
-- @gives is_old, drop_old_copy
local function is_old(element)
  return element and string.sub(element, 1, 1) == '{'
end

-- => whether it was one; its copy is gone then. Second: whether the copy had gone before. Then somebody who knows the main
-- list only has taken the job: a worker of 0.1.0's time ran it, it was dequeued, or it was adopted between 0.1.0's two writes.
local function drop_old_copy(element)
  if not is_old(element) then return false, false end
  return true, redis.call('LREM', main, 1, element) == 0 and string.sub(element, 1, 9) == '{"class":'
end
