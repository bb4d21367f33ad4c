--[[
Reads a chain before a transition: one step and the group after it, or all steps of the current group.

KEYS   the ten of includes/chain_keys.lua
Touches chain, steps, context
ARGV   [1] chain id  [2] and [3] not used  [4] step, or ''
Reply  { 'missing' }
       { 'old', started_at, context }: resque-job-chain 0.1.0 wrote the chain, adopt it first
       { 'chain', { status, run, current step, total steps, left, revision, strategy or '' }, { field, value, ... of the
         context }, { step, status or '', token, attempts, the step itself, ... }, index of the next group's first step,
         { the next group's steps, if they may start now } }
]]
-- @include chain_keys: chain, steps, context

-- A parallel group is a row of consecutive steps. The state has all groups as "first-last,first-last". Returns the index of
-- the group's first step, and its size.
local function group_of(groups, index)
  for first, last in string.gmatch(groups or '', '(%d+)-(%d+)') do
    first, last = tonumber(first), tonumber(last)
    if first <= index and index <= last then return first, last - first + 1 end
  end
  return index, 1
end

local s = redis.call('HMGET', chain, 'status', 'run', 'current_step', 'total_steps', 'left', 'revision',
  'on_failure', 'groups', 'started_at')
if not s[1] then return { 'missing' } end
if not s[2] then
  local text = redis.call('TYPE', context).ok == 'string' and redis.call('GET', context) or ''
  return { 'old', s[9] or '', text }
end

local wanted = tonumber(ARGV[4])
local first, size = group_of(s[8], wanted or tonumber(s[3]))
local from, to = wanted or first, wanted or first + size - 1
local rows, texts = {}, redis.call('LRANGE', steps, from, to)
for i, text in ipairs(texts) do
  local step = from + i - 1
  local its = redis.call('HMGET', chain, 'step_status:' .. step, 'token:' .. step, 'attempts:' .. step)
  for _, word in ipairs({ step, its[1] or '', its[2] or '1', its[3] or '0', text }) do rows[#rows + 1] = tostring(word) end
end

local next_first, left = first + size, tonumber(s[5]) or 1
local next_steps = {}
if left == 0 or (wanted and left == 1) then
  local _, next_size = group_of(s[8], next_first)
  next_steps = redis.call('LRANGE', steps, next_first, next_first + next_size - 1)
end
local known = { s[1], s[2], s[3], s[4], tostring(left), s[6] or '0', s[7] or '' }
return { 'chain', known, redis.call('HGETALL', context), rows, tostring(next_first), next_steps }
