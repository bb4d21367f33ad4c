# frozen_string_literal: true

require 'resque-fair-share-rs'
require_relative 'clock'
require_relative 'record'

module Demo
  # The same job twice, once without and once with the plugin.
  module Job
    def perform(job)
      started = Clock.now
      sleep(job['ms'] / 1000.0)
      record = Record.new(job['id'], job['tenant'], job['enqueued'], started, Clock.now)
      Resque.redis.rpush(Record.key(@queue), record.to_s)
    end
  end

  class PlainJob
    extend Job

    @queue = :plain
  end

  class FairJob
    extend Job
    extend Resque::Plugins::FairShare

    @queue = :fair
    fair_share_on :tenant
  end
end
