-- Whether what has come to pass still concerns the chain. A step's job carries the chain's run and a token, a count of the
-- jobs its step has had; a job without token is judged by its step alone.
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

-- => 'missing', 'stale', 'repeated' (this very call has happened, its reply was lost), 'current', or 'redone' (the step of a
-- failed chain ran again by hand).
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

-- Notes a transition, and what became of it, for the case that its reply gets lost; another field with it where given.
local function note(s, result, ...)
  redis.call('HSET', chain, 'updated_at', now_text, 'revision', (s.revision + 1) .. '', 'last', request .. ' ' .. result, ...)
end
