-- A score is level + tag / 2^42. The level is floor(in_flight / weight), the tag is worker time / weight in milliseconds.
-- @gives UNIT, FIRST_CLOCK, EXPECTATION, tag_of, score_of
local UNIT = 4398046511104

-- In milliseconds: the clock of a new queue, and the expected job time before any job was measured.
local FIRST_CLOCK, EXPECTATION = 2, 1000

local function tag_of(score)
  return (score % 1) * UNIT
end

local function score_of(level, tag)
  return level + math.max(0, math.min(tag, UNIT - 1)) / UNIT
end
