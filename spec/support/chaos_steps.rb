# frozen_string_literal: true

require 'securerandom'

# Steps of chains that note in a list of their chain when they begin, what their chain then says of the step before
# them, and when they end. Each note has the name of its run, since a client may write it twice when its connection
# breaks.
module ChaosSteps
  QUEUES = %w[chaos_fair chaos_plain].freeze

  module Noting
    def perform(params)
      id, index = params.values_at('_chain_id', '_step_index')
      before = index.zero? ? 'completed' : Resque::JobChain.status(id)["step_status:#{index - 1}"]
      run = SecureRandom.hex(4)
      note(id, "begins #{index} #{run} #{before}")
      sleep params['seconds']
      note(id, "ends #{index} #{run} #{Resque::JobChain.status(id)["step_status:#{index}"]}")
      Resque::JobChain.update_context(id, "step#{index}" => run)
    end

    def note(id, text)
      Resque.redis.rpush("spec:notes:#{id}", text)
    end
  end

  class Plain
    extend Resque::Plugins::JobChain
    extend Noting

    @queue = :chaos_plain
  end

  class Fair
    extend Resque::Plugins::JobChain
    extend Resque::Plugins::FairShare
    extend Noting

    @queue = :chaos_fair
    fair_share_on :tenant
  end
end
