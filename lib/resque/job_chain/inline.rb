# frozen_string_literal: true

module Resque
  module JobChain
    # Performs steps in this process where `Resque.inline` is set: one after the other, however long the chain.
    # @private
    module Inline
      module_function

      # @param payloads [Array<String>]
      # @raise what the last step raised
      def perform(payloads)
        waiting = Thread.current[:resque_job_chain_inline]
        return waiting.concat(payloads) if waiting

        begin
          run(Thread.current[:resque_job_chain_inline] = payloads.dup)
        ensure
          Thread.current[:resque_job_chain_inline] = nil
        end
      end

      def run(waiting)
        while (payload = waiting.shift)
          begin
            Resque::Job.new(:inline, Resque.decode(payload)).perform
          rescue StandardError
            # The chain has recorded the failure. Go on where the chain does: it retries or skips the step.
            raise if waiting.empty?
          end
        end
      end
    end
  end
end
