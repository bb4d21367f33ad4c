--[[
Puts waiting jobs back into the main list, as stock Resque has them, in the order in which they would have been served, had
all run equally long. Parked partitions take their turns with the others.

KEYS   the ten of includes/keys.lua
ARGV   [1] root  [2] how many at the most
Reply  number of jobs moved; fewer than asked where no more wait
]]
local most, moved = tonumber(ARGV[2]), 0
local weighted = redis.call('HGET', state, 'weighted')

for _, member in ipairs(redis.call('ZRANGE', parked, 0, most - 1)) do
  local score = redis.call('ZSCORE', parked, member)
  unpark(member)
  redis.call('ZADD', partitions, score, member)
end
while moved < most do
  local top = redis.call('ZRANGE', partitions, 0, 0, 'WITHSCORES')
  local partition, score = top[1], tonumber(top[2])
  if not partition then break end
  local sub = root .. 'sub:' .. partition
  local element = redis.call('LPOP', sub)
  if element then
    -- Of a job that 0.1.0 wrote the copy goes to the tail.
    if drop_old_copy(element) then
      redis.call('RPUSH', main, element)
    else
      redis.call('LREM', main, 1, 'null')
      redis.call('RPUSH', main, string.sub(element, 12))
      redis.call('HINCRBY', state, 'pending', -1)
    end
    moved = moved + 1
  end
  if redis.call('EXISTS', sub) == 0 then
    redis.call('DEL', root .. partition .. ':pending')
    redis.call('ZREM', partitions, partition)
  else
    redis.call('DECR', root .. partition .. ':pending')
    local weight = policy(partition, weighted, 0)
    redis.call('ZADD', partitions, score_of(math.floor(score), tag_of(score) + EXPECTATION / weight), partition)
  end
end
sweep()
return moved
