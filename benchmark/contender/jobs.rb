# frozen_string_literal: true

require_relative '../../demo/record'

# The job of the README.
class SyncJob
  extend Resque::Plugins::FairShare if defined?(Resque::Plugins::FairShare)
  @queue = :default
  fair_share_on :account_id if respond_to?(:fair_share_on)

  def self.perform(params); end
end

# A job without partition.
class PlainJob
  @queue = :plain

  def self.perform(params); end
end

# Sleeps as long as its argument says, and notes when.
class SleepingJob
  extend Resque::Plugins::FairShare if defined?(Resque::Plugins::FairShare)
  @queue = :sleeping
  fair_share_on :tenant if respond_to?(:fair_share_on)

  def self.perform(job)
    started = Support::Clock.now
    sleep(job['ms'] / 1000.0)
    record = Demo::Record.new(job['id'], job['tenant'], job['enqueued'], started, Support::Clock.now)
    Resque.redis.rpush('bench:done', record.to_s)
  end
end

# A step of a chain.
class StepJob
  extend Resque::Plugins::JobChain if defined?(Resque::Plugins::JobChain)
  @queue = :steps

  def self.perform(params); end
end

# A chain made by hand: each job enqueues the next.
class HandMadeStepJob
  @queue = :steps

  def self.perform(params)
    following = params['step'] + 1
    return if following == Bench::Contending::Chains::STEPS

    Resque.enqueue(HandMadeStepJob, 'step' => following, 'order_id' => params['order_id'])
  end
end

# ActiveJob's adapter for Resque enqueues this class. The payload is built like the adapter's, without ActiveJob.
module ActiveJob
  module QueueAdapters
    class ResqueAdapter
      class JobWrapper
        def self.perform(job_data); end
      end
    end
  end
end

class ActiveSyncJob
  extend Resque::Plugins::FairShare if defined?(Resque::Plugins::FairShare)
  @queue = :default
  fair_share_on :account_id if respond_to?(:fair_share_on)
end
