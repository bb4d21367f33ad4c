-- Fails a chain because one of its steps could not be started. `kind` is that step's status: failed or vetoed.
-- Returns milliseconds since the chain's start.
-- @gives break_chain
-- @include chain_keys: chain
-- @include chain_index: move
local function break_chain(status, kind, at, message, class)
  redis.call('HSET', chain, 'step_status:' .. at, kind, 'error_message', message, 'error_class', class, 'error_step', at)
  return move(status, 'failed')
end
