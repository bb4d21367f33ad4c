-- Starts steps. ARGV holds ten words for each job, from `first` on: step, token, how (queue, list, none, or seconds of delay),
-- queue, root, encoded partition, payload, cap, weight or '', full id or ''. KEYS holds the keys of the jobs' queues, from 11
-- on. Returns the pending count of each job's partition.
-- @gives JOB, start_steps
-- @include chain_keys: chain
-- @include time: now
-- @include iso8601: now_text
-- @include chain_queue: choose_queue
-- @include enqueue: enqueue
-- @include enqueue_plain: enqueue_plain
local JOB = 10

local function delay(seconds, prefix, item)
  -- Writes what resque-scheduler's delayed_push writes.
  local at = math.ceil(now / 1000 + seconds)
  redis.call('RPUSH', prefix .. 'delayed:' .. at, item)
  redis.call('SADD', prefix .. 'timestamps:' .. item, 'delayed:' .. at)
  redis.call('ZADD', prefix .. 'delayed_queue_schedule', at, at)
end

local function start_steps(first)
  local pendings, key = {}, 11
  for at = first, #ARGV, JOB do
    local step, token, how, queue, its_root = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
    local partition, payload = ARGV[at + 5], ARGV[at + 6]
    local pending = 0
    if how == 'queue' or how == 'list' then
      choose_queue(key, its_root)
      if how == 'list' then
        pending = enqueue_plain(queue, partition, payload)
      else
        local _
        _, pending = enqueue(queue, partition, payload, tonumber(ARGV[at + 7]), ARGV[at + 8], ARGV[at + 9])
      end
    elseif how ~= 'none' then
      delay(tonumber(how), its_root, payload)
    end
    redis.call('HSET', chain, 'step_status:' .. step, 'running', 'step_started_at:' .. step, now_text)
    if token ~= '1' then redis.call('HSET', chain, 'token:' .. step, token) end
    pendings[#pendings + 1] = pending
    key = key + 10
  end
  return pendings
end
