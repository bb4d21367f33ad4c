-- Decides whether the report of a step still concerns the chain. A step's job carries the chain's run and a token, which
-- numbers the jobs that the step has had. A job without a token is judged by its step alone.
-- @gives request, step, token, read_state, fence, repeated, note
-- @include chain_keys: run, chain
-- @include iso8601: now_text
local request, step, token = ARGV[4], ARGV[5], ARGV[6]

local function read_state()
  local s = redis.call('HMGET', chain, 'status', 'run', 'left', 'current_step', 'revision', 'last', 'step_status:' .. step,
    'token:' .. step, 'total_steps')
  return {
    status = s[1], run = s[2], left = tonumber(s[3]) or 1, grouped = s[3], current = tonumber(s[4]), revision = s[5] or '0',
    last = s[6] or '', step_status = s[7], token = s[8] or '1', total = tonumber(s[9])
  }
end

-- Returns 'missing' (no such chain, or another run of it), 'stale' (the step has ended, or has another job now), 'repeated'
-- (this same call has run before, and its reply was lost), 'current', or 'redone' (somebody ran the step of a failed chain
-- again by hand).
local function fence(s)
  if not s.status or s.run ~= run then return 'missing' end
  if string.sub(s.last, 1, #request + 1) == request .. ' ' then return 'repeated' end
  if token ~= '' and token ~= s.token then return 'stale' end
  if s.step_status == 'running' and s.status ~= 'cancelled' and s.status ~= 'completed' then return 'current' end
  if token == '' and s.status == 'failed' and (s.step_status == 'failed' or s.step_status == 'vetoed') then return 'redone' end
  return 'stale'
end

local function repeated(s)
  return { string.sub(s.last, #request + 2), -1 }
end

-- Stores a transition and its result: if the reply gets lost, the repeated call answers from here. Stores the further fields
-- with it, if any.
local function note(s, result, ...)
  redis.call('HSET', chain, 'updated_at', now_text, 'revision', (s.revision + 1) .. '', 'last', request .. ' ' .. result, ...)
end
