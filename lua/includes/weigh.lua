-- Stores the weight that the configuration gives a partition at enqueue ('': none), and its full id if the encoded one is
-- shortened. A partition that has waiting jobs moves to the level of its new weight at once, also if the configuration has
-- stopped giving it a weight.
-- @needs root, partitions, parked, state, weights, names
-- @gives weigh
-- @include score: tag_of, score_of
-- @include policy: policy
local function weigh(partition, weight, name)
  if name ~= '' then redis.call('HSET', names, partition, name) end
  local known = redis.call('HGET', weights, partition)
  -- Write 1 instead of removing the weight: with a removal as its first write, the script would enqueue in a full Redis, too.
  if weight == '' then weight = known and '1' end
  if not weight or known == weight then return end
  redis.call('HSET', weights, partition, weight)
  redis.call('HSET', state, 'weighted', 1)
  for _, index in ipairs({ partitions, parked }) do
    local score = tonumber(redis.call('ZSCORE', index, partition))
    if score then
      local in_flight = tonumber(redis.call('GET', root .. partition .. ':in_flight')) or 0
      local now_holds = policy(partition, true, 0)
      redis.call('ZADD', index, score_of(math.floor(in_flight / now_holds), tag_of(score)), partition)
    end
  end
end
