# frozen_string_literal: true

module Resque
  module JobChain
    # Reports events to observers, StatsD or the logger. None of them can break a chain: their errors are logged.
    module Observable
      module_function

      # Reports an event to all of them.
      # @param event [Symbol] one of {Configuration::EVENTS}
      # @param args [Array] chain id, step index where the event is a step's
      # @return [void]
      def notify(event, *args)
        config = JobChain.configuration
        config.observers_for(event).each { |observer| guard("an observer of #{event}") { observer.call(*args) } }
        guard('the StatsD client') { config.statsd_client&.increment("resque.job_chain.#{event}") }
        guard('the logger') { config.logger&.info("[resque-job-chain] #{event}: #{args.inspect}") }
      end

      # @private Logs a message for an operator. A logger without `warn` gets it as an error.
      def report(level, message)
        guard('the logger') do
          logger = JobChain.logger #: untyped
          logger.public_send(logger.respond_to?(level) ? level : :error, "[resque-job-chain] #{message}")
        end
      end

      # Reports a duration to StatsD.
      # @param what [Symbol] `:step_duration` or `:chain_duration`
      # @param milliseconds [Numeric]
      # @return [void]
      def duration(what, milliseconds)
        client = JobChain.configuration.statsd_client
        method = %i[timing histogram].find { |name| client.respond_to?(name) }
        guard('the StatsD client') { client&.public_send(method, "resque.job_chain.#{what}", milliseconds) } if method
      end

      # @private Logs the block's errors.
      # @param who [String] named in the log
      def guard(who)
        yield
      rescue StandardError, ScriptError => e
        begin
          JobChain.logger.error("[resque-job-chain] #{who} raised #{e.class}: #{e.message}")
        rescue StandardError, ScriptError
          nil # It was the logger.
        end
      end
    end
  end
end
