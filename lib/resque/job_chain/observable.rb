# frozen_string_literal: true

module Resque
  module JobChain
    # Tells observers, StatsD and the logger what happened. None of them can break a chain: what they raise is logged.
    module Observable
      module_function

      # @param event [Symbol] one of {Configuration::EVENTS}
      # @param args [Array] chain id, and step index where it is a step's
      def notify(event, *args)
        config = JobChain.configuration
        config.observers_for(event).each { |observer| guard("an observer of #{event}") { observer.call(*args) } }
        guard('the StatsD client') { config.statsd_client&.increment("resque.job_chain.#{event}") }
        guard('the logger') { config.logger&.info("[resque-job-chain] #{event}: #{args.inspect}") }
      end

      # @private What somebody should look at. A logger that has no `warn` gets it as an error.
      def report(level, message)
        guard('the logger') do
          logger = JobChain.logger #: untyped
          logger.public_send(logger.respond_to?(level) ? level : :error, "[resque-job-chain] #{message}")
        end
      end

      # @param what [Symbol] `:step_duration` or `:chain_duration`
      # @param milliseconds [Numeric]
      def duration(what, milliseconds)
        client = JobChain.configuration.statsd_client
        method = %i[timing histogram].find { |name| client.respond_to?(name) }
        guard('the StatsD client') { client&.public_send(method, "resque.job_chain.#{what}", milliseconds) } if method
      end

      # @private
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
