# frozen_string_literal: true

require 'resque-fair-share-rs'

ENV['REDIS_URL'] ||= 'redis://127.0.0.1:6379/0'

RSpec.configure do |config|
  config.disable_monkey_patching!
  config.order = :random
  Kernel.srand config.seed
end
