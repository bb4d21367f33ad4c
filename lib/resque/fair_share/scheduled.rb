# frozen_string_literal: true

module Resque
  module FairShare
    # A job whose time has come, in resque-scheduler's process: that has taken the job from its schedule, and only logs
    # what an enqueue raises, so the job would be gone.
    # @private
    module Scheduled
      # resque-scheduler's method that enqueues what is due.
      ENQUEUE = 'enqueue_from_config'
      FILE = 'resque/scheduler.rb'

      module_function

      # @return [Boolean] whether resque-scheduler enqueues a job now
      def due?
        caller_locations(2).to_a.any? { |frame| frame.base_label == ENQUEUE && frame.path.to_s.end_with?(FILE) }
      end

      # Puts the job into the failed list, if nobody else sees to it.
      # @param payload [String]
      # @param error [Exception]
      def refused(payload, error, queue)
        FailedList.add(Payload.parse(payload) || payload, error, queue) if logged_only? && due?
      rescue ::Redis::BaseError
        nil # The caller raises the error that came first.
      end

      # @return [Boolean] false where the application has a failure handler of its own
      def logged_only?
        return false unless defined?(Resque::Scheduler::FailureHandler)

        # steep:ignore:start
        Resque::Scheduler.failure_handler.equal?(Resque::Scheduler::FailureHandler)
        # steep:ignore:end
      end
    end
  end
end
