-- The lane of the jobs that have no partition: no encoded id is a bare percent sign.
-- @needs settings, weights
-- @gives LANE, policy
local LANE = '%'

-- What holds for a partition now => weight, cap (0: none), paused, and its full id where the settings have it. Run-time
-- settings ("weight|cap|paused|full id", an empty field is not set) beat the configuration. `weighted` is true when some
-- partition of the queue has a configured weight, `unset` when none has a run-time setting (both as the state says). `given`: the
-- configured weight, where the caller brings it along ('': none).
local function policy(partition, weighted, cap, unset, given)
  if partition == LANE then return 1, 0, false end
  local weight, paused = tonumber(given or ''), false
  if not weight and weighted then weight = tonumber(redis.call('HGET', weights, partition)) end
  weight = weight or 1
  local set = not unset and redis.call('HGET', settings, partition)
  if set then
    local set_weight, set_cap, set_paused, name = string.match(set, '^([^|]*)|([^|]*)|([^|]*)|?(.*)$')
    weight = tonumber(set_weight) or weight
    cap = tonumber(set_cap) or cap
    paused = set_paused == '1'
    if name ~= '' then return weight, cap, paused, name end
  end
  return weight, cap, paused
end
