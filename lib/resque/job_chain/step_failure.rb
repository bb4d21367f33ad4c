# frozen_string_literal: true

module Resque
  module JobChain
    # The part of a {StepEnd} for a step that failed: another attempt, or the failure of its chain.
    # @private
    module StepFailure
      private

      def max_attempts(row)
        row.definition['max_attempts'] || JobChain.configuration.default_max_attempts
      end

      def retry_step(error)
        delivery = nil #: Delivery?
        obstacle = nil #: Obstacle?
        reply = transition do |native, connection, fence|
          delivery, obstacle = prepare_retry
          next native.fail(connection, fence, *obstacle.as_failure) if obstacle # steep:ignore

          native.retry(connection, fence, snapshot.revision, delivery.jobs.fetch(0)) # steep:ignore NoMethod
        end
        return failed(reply, 'aborted', obstacle) unless reply.result == 'retrying'

        retried(error, delivery, reply.pendings.to_a)
      end

      def prepare_retry
        row = snapshot.rows.first
        prepare({ row => row.token + 1 }, delay: RetryDelay.after(row.definition['retry_delay'], row.attempts + 1))
      end

      # @param pendings [Array<Integer>] empty where the chain is paused
      def retried(error, delivery, pendings)
        attempts = snapshot.rows.first.attempts + 1
        Observable.notify(:step_retrying, @chain_id, @step_index, attempts)
        Observable.report(:warn, "chain #{@chain_id} tries step #{@step_index} again after #{error.class}: " \
                                 "#{JobChain.message_of(error)}")
        delivery&.enqueued(pendings) unless pendings.empty?
        "retrying:#{attempts}"
      end

      # @param word [String] the answer to the caller where the chain has failed
      def fail_step(error, word)
        reply = transition do |native, connection, fence|
          native.fail(connection, fence, false, JobChain.message_of(error), error.class.to_s)
        end
        failed(reply, word)
      end

      def failed(reply, word, obstacle = nil)
        return stale if reply.result == 'stale'
        return reply.result unless reply.result == 'failed'

        obstacle ? obstacle.notify(@chain_id) : Observable.notify(:chain_failed, @chain_id, @step_index)
        Observable.duration(:chain_duration, reply.duration) unless reply.duration.negative?
        word
      end
    end
  end
end
