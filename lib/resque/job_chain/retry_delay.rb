# frozen_string_literal: true

module Resque
  module JobChain
    # The wait before each retry of a step. A callable can't be kept in Redis, so it is called for every attempt when
    # the chain is built.
    # @private
    module RetryDelay
      # A step keeps at the most so many delays; the last one holds for all further attempts.
      MOST = 100

      module_function

      # @param value [Numeric, #call, nil] seconds, or a callable that returns them for the number of failed attempts
      # @param max_attempts [Integer]
      # @return [Numeric, Array<Numeric>, nil]
      # @raise [ArgumentError] for another value, and where resque-scheduler is not loaded
      def parse(value, max_attempts)
        return if value.nil?

        unless Resque.respond_to?(:enqueue_in)
          raise ArgumentError, "retry_delay is #{FairShare::Guard.show(value)}, but resque-scheduler, which would " \
                               "wait so long, is not loaded; add gem 'resque-scheduler' and run its process, or " \
                               'leave retry_delay out'
        end
        return check(value) unless value.respond_to?(:call)

        (1..(max_attempts - 1).clamp(1, MOST)).map { |attempt| check(value.call(attempt)) }
      end

      # @param delays [Numeric, Array<Numeric>, nil] as {parse} returned them
      # @param attempt [Integer] number of failed attempts
      # @return [Numeric, nil] seconds
      def after(delays, attempt)
        delays.is_a?(Array) ? delays[attempt - 1] || delays.last : delays
      end

      def check(seconds)
        return seconds if seconds.is_a?(Numeric) && seconds.real? && seconds.to_f.finite? && seconds >= 0

        raise ArgumentError,
              "retry_delay is #{FairShare::Guard.show(seconds)}; it must be seconds from 0 on, or give them for an " \
              'attempt'
      end
    end
  end
end
