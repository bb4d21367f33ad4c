-- The lane of the jobs that have no partition. No encoded id is a bare percent sign.
-- @needs settings, weights
-- @gives LANE, policy
local LANE = '%'

-- Returns the settings in force for a partition: weight, cap (0: none), paused, and its full id if the settings have it.
-- Run-time settings ("weight|cap|paused|full id"; an empty field is not set) override the configuration. `weighted` and `unset`
-- are fields of the state: some partition of the queue has a configured weight; no partition has a run-time setting. `given`:
-- the configured weight, if the caller knows it ('': none).
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
