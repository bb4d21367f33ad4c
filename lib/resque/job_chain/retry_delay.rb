# frozen_string_literal: true

module Resque
  module JobChain
    # How long a step waits before each of its retries. A callable can't be kept in Redis, so it is asked for each
    # attempt when the chain is built.
    # @private
    module RetryDelay
      # What a step keeps at the most; its last delay holds for all further attempts.
      MOST = 100

      module_function

      # @param value [Numeric, #call, nil] seconds, or what gives them for the number of attempts that have failed
      # @param max_attempts [Integer]
      # @return [Numeric, Array<Numeric>, nil]
      # @raise [ArgumentError] for another value, and where resque-scheduler is not loaded
      def parse(value, max_attempts)
        return if value.nil?

        unless Resque.respond_to?(:enqueue_in)
          raise ArgumentError, "retry_delay is #{value.inspect}, but resque-scheduler, which would wait so long, is " \
                               "not loaded; add gem 'resque-scheduler' and run its process, or leave retry_delay out"
        end
        return check(value) unless value.respond_to?(:call)

        (1..(max_attempts - 1).clamp(1, MOST)).map { |attempt| check(value.call(attempt)) }
      end

      # @param delays [Numeric, Array<Numeric>, nil] what {parse} gave
      # @param attempt [Integer] how many have failed
      # @return [Numeric, nil]
      def after(delays, attempt)
        delays.is_a?(Array) ? delays[attempt - 1] || delays.last : delays
      end

      def check(seconds)
        return seconds if seconds.is_a?(Numeric) && seconds.real? && seconds.to_f.finite? && seconds >= 0

        raise ArgumentError,
              "retry_delay is #{seconds.inspect}; it must be seconds from 0 on, or give them for an attempt"
      end
    end
  end
end
