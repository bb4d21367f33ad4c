# frozen_string_literal: true

module Resque
  module JobChain
    # The declaration of a chain in the block of {JobChain.build}.
    class Builder
      # @return [Array<Symbol>] options of {#step} that are not arguments of the job
      OPTIONS = %i[on_failure max_attempts queue retry_delay].freeze

      # The declaration of a group in the block of {#parallel}: steps only, since groups don't nest.
      class Group
        # @param builder [Builder]
        def initialize(builder)
          @builder = builder
        end

        # @param job_class [Class] extends {Resque::Plugins::JobChain}
        # @param options [Hash] see {Builder#step}
        # @return [Builder]
        # @raise [ArgumentError] naming the wrong value
        def step(job_class, **options)
          @builder.step(job_class, **options)
        end
      end

      # @param chain_id [String, Symbol, Integer]
      def initialize(chain_id)
        @chain_id = chain_id
        @steps = []
        @groups = []
        @default_strategy = nil
        @initial_context = {}
      end

      # Adds a step.
      # @param job_class [Class] extends {Resque::Plugins::JobChain}
      # @param options [Hash] the step's arguments, and besides: `on_failure` (`:abort`, `:retry`, `:skip`),
      #   `max_attempts`, `queue`, and `retry_delay`: seconds, or a callable that returns them for the number of
      #   failed attempts
      # @return [self]
      # @raise [ArgumentError] naming the wrong value
      # @example
      #   chain.step ChargePayment, order_id: 7, on_failure: :retry, max_attempts: 5, retry_delay: ->(n) { 10 * n }
      def step(job_class, **options)
        args = options.except(*OPTIONS)
        settings = options.slice(*OPTIONS)
        attempts = settings[:max_attempts] || JobChain.configuration.default_max_attempts
        if settings.key?(:retry_delay)
          Configuration.positive(:max_attempts, attempts)
          settings[:retry_delay] = RetryDelay.parse(settings[:retry_delay], attempts)
        end
        @steps << Step.new(job_class, args: args, **settings)
        self
      end

      # Adds steps that start together. The chain goes on when all of them have ended well.
      # @yieldparam group [Group]
      # @return [self]
      # @raise [ArgumentError] for a group without a step, or without a block
      # @example
      #   chain.parallel { |group| group.step Resize; group.step Scan }
      def parallel
        raise ArgumentError, 'parallel needs a block, in which steps are given' unless block_given?

        first = @steps.size
        yield Group.new(self)
        raise ArgumentError, "a parallel group of chain #{@chain_id.inspect} has no step" if @steps.size == first

        @groups << [first, @steps.size - 1] if @steps.size - first > 1
        self
      end

      # Sets the strategy of steps that have none of their own.
      # @param strategy [Symbol, String] `:abort`, `:retry` or `:skip`
      # @return [Symbol]
      # @raise [ArgumentError] for another strategy
      def on_failure(strategy)
        @default_strategy = Strategies.resolve(strategy)::STRATEGY
      end

      # Adds data that all steps get in their arguments.
      # @param initial_data [Hash{Symbol => Object}] values that JSON can write
      # @return [Hash] the data given so far
      def context(**initial_data)
        @initial_context.merge!(initial_data)
      end

      # @return [Chain]
      # @raise [ArgumentError] for a chain without steps, or an id that can't be right
      def to_chain
        Chain.new(id: @chain_id, steps: @steps, default_strategy: @default_strategy, initial_context: @initial_context,
                  groups: @groups)
      end
    end
  end
end
