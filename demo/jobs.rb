# frozen_string_literal: true

require 'resque-fair-share-rs'
require_relative 'clock'
require_relative 'record'

module Demo
  # What a job does: it works, and notes when.
  module Job
    # @param job [Hash] `tenant`, `id`, `enqueued` (seconds of {Clock}), `ms` (how long it works), `list` (where it
    #   notes that)
    def perform(job)
      started = Clock.now
      sleep(job['ms'] / 1000.0)
      record = Record.new(job['id'], job['tenant'], job['enqueued'], started, Clock.now)
      Resque.redis.rpush(job['list'], record.to_s)
    end
  end

  # As Resque has it: first come, first served.
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
