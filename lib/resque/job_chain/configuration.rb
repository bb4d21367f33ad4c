# frozen_string_literal: true

module Resque
  module JobChain
    # All settings of chains, each checked where it is given.
    class Configuration
      # Observers of all events get the chain's id; observers of `step_` events and of `chain_failed` the step's index,
      # too; observers of `step_retrying` also the number of failed attempts.
      # @return [Array<Symbol>]
      EVENTS = %i[
        chain_started step_completed chain_completed chain_failed step_retrying step_skipped step_stale step_vetoed
        chain_cancelled chain_paused chain_resumed chain_recovered
      ].freeze

      # @private
      def self.positive(name, value)
        return value if value.is_a?(Integer) && value.positive?

        raise ArgumentError, "#{name} is #{FairShare::Guard.show(value)}; it must be an Integer above 0"
      end

      # @return [Symbol] the strategy when a step fails: `:abort`, `:retry` or `:skip`
      attr_reader :default_strategy
      # @return [Integer] attempts of a step with `:retry`
      attr_reader :default_max_attempts
      # @return [Integer] seconds for which a finished chain can be looked at
      attr_reader :completed_chain_ttl
      # @return [#increment, nil] gets `increment("resque.job_chain.EVENT")`, and durations in milliseconds by `timing`
      #   or `histogram` where it has one of them
      attr_reader :statsd_client
      # @return [#info, #error, nil] gets every event; nil: Resque's logger gets warnings and errors
      attr_accessor :logger

      # One with the defaults.
      def initialize
        @default_strategy = :abort
        @default_max_attempts = 3
        @completed_chain_ttl = 86_400
        @statsd_client = nil
        @logger = nil
        @observers = Hash.new { |observers, event| observers[event] = [] }
      end

      # @param value [Symbol, String] `:abort`, `:retry` or `:skip`
      # @raise [ArgumentError] for another strategy
      def default_strategy=(value)
        @default_strategy = Strategies.resolve(value)::STRATEGY
      end

      # @param value [Integer] above 0
      # @raise [ArgumentError] for another value
      def default_max_attempts=(value)
        @default_max_attempts = Configuration.positive(:default_max_attempts, value)
      end

      # @param value [Integer] seconds, above 0
      # @raise [ArgumentError] for another value
      def completed_chain_ttl=(value)
        @completed_chain_ttl = Configuration.positive(:completed_chain_ttl, value)
      end

      # @param value [#increment, nil]
      # @raise [ArgumentError] for one that has no `increment`
      def statsd_client=(value)
        unless value.nil? || value.respond_to?(:increment)
          raise ArgumentError, "statsd_client is #{FairShare::Guard.show(value)}; it must respond to " \
                               'increment(name), or be nil'
        end

        @statsd_client = value
      end

      # Adds an observer of an event. Its errors are logged; they can't break a chain.
      # @param event [Symbol, String] one of {EVENTS}
      # @yieldparam args [Array] chain id, step index, number of failed attempts: as many as {EVENTS} says
      # @return [Array<Proc>] the event's observers
      # @raise [ArgumentError] for another event, or without a block
      # @example
      #   config.on(:chain_failed) { |chain_id, step| Alert.send("#{chain_id} failed at step #{step}") }
      def on(event, &block)
        FairShare::Check.one_of(EVENTS, :event, event)
        raise ArgumentError, "on(#{event.inspect}) needs a block" unless block

        @observers[event.to_sym] << block
      end

      # @param event [Symbol, String] one of {EVENTS}
      # @return [Array<Proc>]
      def observers_for(event)
        @observers[event.to_sym]
      end
    end
  end
end
