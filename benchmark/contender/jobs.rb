# frozen_string_literal: true

# The README's job.
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

# Works as long as it is told, and notes when: an element as Demo::Record has it.
class SleepingJob
  extend Resque::Plugins::FairShare if defined?(Resque::Plugins::FairShare)
  @queue = :sleeping
  fair_share_on :tenant if respond_to?(:fair_share_on)

  def self.perform(job)
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    sleep(job['ms'] / 1000.0)
    ended = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    Resque.redis.rpush('bench:done', [job['id'], job['tenant'], job['enqueued'], started, ended].join(' '))
  end
end

# A step of a chain.
class StepJob
  extend Resque::Plugins::JobChain if defined?(Resque::Plugins::JobChain)
  @queue = :steps

  def self.perform(params); end
end

# A chain made by hand: each job puts the next one into the queue.
class HandMadeStepJob
  @queue = :steps

  def self.perform(params)
    following = params['step'] + 1
    return if following == Bench::Contending::Chains::STEPS

    Resque.enqueue(HandMadeStepJob, 'step' => following, 'order_id' => params['order_id'])
  end
end

# What ActiveJob's adapter for Resque enqueues; the payload is made as it makes it, without ActiveJob itself.
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
