# frozen_string_literal: true

require 'logger'
require 'resque-fair-share-rs'
require_relative '../bin/support/redis_server'
require_relative 'support/lossy_proxy'
require_relative 'support/refusing_proxy'
require_relative 'support/monitoring'
require_relative 'support/waiting'
require_relative 'support/worker_process'
require_relative 'support/jobs'
require_relative 'support/odd_jobs'
require_relative 'support/fair_state'
require_relative 'support/chain_jobs'
require_relative 'support/chain_state'

RedisServer = Support::RedisServer
# Where no server is named, one is started for this run. It ends with the run, also when no spec can be loaded.
REDIS_URL = ENV['REDIS_URL'] || RedisServer.start.url

RSpec.configure do |config|
  config.disable_monkey_patching!
  config.order = :random
  Kernel.srand config.seed

  config.include Monitoring
  config.include Waiting
  config.include FairState
  config.include ChainState

  config.before do
    Resque.redis = REDIS_URL
    Resque.redis.redis.flushdb
    Resque.logger = Logger.new(nil)
    Resque::FairShare::Guard.reset
    Resque::FairShare.reset_configuration!
    Resque::JobChain.reset_configuration!
    Resque.inline = false
  end

  config.after { WorkerProcess.end_all }
end
