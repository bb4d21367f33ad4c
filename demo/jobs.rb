# frozen_string_literal: true

require 'resque-fair-share-rs'
require_relative '../bin/support/clock'
require_relative 'record'

module Demo
  # A job works, and notes when it did.
  module Job
    # @param job [Hash] `tenant`, `id`, `enqueued` (seconds of Support::Clock), `ms` (how
    #   long it works), `list` (where it notes that)
    def perform(job)
      started = Support::Clock.now
      sleep(job['ms'] / 1000.0)
      record = Record.new(job['id'], job['tenant'], job['enqueued'], started, Support::Clock.now)
      Resque.redis.rpush(job['list'], record.to_s)
    end
  end

  # A plain Resque job: first come, first served.
  class PlainJob
    extend Job

    @queue = :plain
  end

  # The same with the plugin.
  class FairJob
    extend Job
    extend Resque::Plugins::FairShare

    @queue = :fair
    fair_share_on :tenant
  end
end
