-- A step that could not be started ends the chain: `kind` is failed or vetoed.
-- @gives break_chain
-- @include chain_keys: chain
-- @include chain_index: move
local function break_chain(status, kind, at, message, class)
  redis.call('HSET', chain, 'step_status:' .. at, kind, 'error_message', message, 'error_class', class, 'error_step', at)
  return move(status, 'failed')
end
