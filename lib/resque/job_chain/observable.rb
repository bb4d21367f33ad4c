# frozen_string_literal: true

module Resque
  module JobChain
    # Reports events to observers, StatsD or the logger. None of them can break a chain: their errors are logged.
    module Observable
      # Each line of a log begins with it.
      TAG = '[resque-job-chain]'
      private_constant :TAG

      module_function

      # Reports an event to all of them.
      # @param event [Symbol] one of {Configuration::EVENTS}
      # @param args [Array] chain id, step index where the event is a step's
      # @return [void]
      def notify(event, *args)
        config = JobChain.configuration
        config.observers_for(event).each { |observer| guard("an observer of #{event}") { observer.call(*args) } }
        guard('the StatsD client') { config.statsd_client&.increment("resque.job_chain.#{event}") }
        guard('the logger') { config.logger&.info("#{TAG} #{event}: #{args.inspect}") }
      end

      # @private Logs a message for an operator. A logger without `warn` gets it as an error.
      def report(level, message)
        FairShare::Guard.log(level, "#{TAG} #{message}", JobChain.logger)
      end

      # Reports a duration to StatsD.
      # @param what [Symbol] `:step_duration` or `:chain_duration`
      # @param milliseconds [Numeric]
      # @return [void]
      def duration(what, milliseconds)
        client = JobChain.configuration.statsd_client
        guard('the StatsD client') do
          method = %i[timing histogram].find { |name| client.respond_to?(name) }
          client&.public_send(method, "resque.job_chain.#{what}", milliseconds) if method
        end
      end

      # @private Logs the block's errors.
      # @param who [String] named in the log
      def guard(who, &)
        FairShare::Guard.call(who, TAG, JobChain.logger, &)
      end
    end
  end
end
