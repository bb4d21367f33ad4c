# frozen_string_literal: true

module Resque
  module FairShare
    # Waits while Redis can't be reached, or answers that it can't serve now. Workers wait. Who enqueues gets the error
    # at once, because a web request must not hang.
    # @private
    module Outage
      # Seconds: the first pause, about, and the longest.
      FIRST = 0.05
      LONGEST = 2.0
      # A thread that waits already: a wait within it would multiply.
      WAITING = :resque_fair_share_outage
      private_constant :FIRST, :LONGEST, :WAITING

      class << self
        # @return [Boolean] whether the error tells of Redis's state, and not of the command
        def passing?(error)
          case error
          when ::Redis::BaseConnectionError then true
          when ::Redis::BaseError then Native.outage?(error.message.to_s)
          else false
          end
        end

        # Tries again for `config.patience` seconds. Only for a block that may run twice.
        # @param doing [String] for the log
        # @param give_up [#call, nil] true: not worth waiting any more
        # @raise [Redis::BaseError] the last one, when patience ends
        def wait_out(doing, give_up: nil, &block)
          return yield if Thread.current[WAITING]

          begin
            Thread.current[WAITING] = true
            patiently(doing, give_up, &block)
          ensure
            Thread.current[WAITING] = nil
          end
        end

        private

        def patiently(doing, give_up)
          deadline = nil #: Float?
          pause = FIRST
          begin
            yield
          rescue ::Redis::BaseError => e
            raise unless passing?(e)

            deadline ||= told(doing, e)
            left = deadline - now
            raise if left <= 0 || give_up&.call

            # With jitter: all workers of a Redis begin to wait at once.
            sleep([pause * (0.5 + (rand / 2)), left].min)
            pause = [pause * 2, LONGEST].min
            retry
          end
        end

        # @return [Float] when patience ends
        def told(doing, error)
          patience = FairShare.configuration.patience
          if patience.positive?
            Guard.log(:warn, "resque-fair-share: #{doing} waits up to #{patience} s for Redis: #{error.message}")
          end
          now + patience
        end

        # Seconds.
        def now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end
      end
    end
  end
end
