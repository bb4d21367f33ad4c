# frozen_string_literal: true

module Resque
  module JobChain
    # What the block of {JobChain.build} gets.
    class Builder
      OPTIONS = %i[on_failure max_attempts queue retry_delay].freeze

      # What the block of {#parallel} gets: steps only, since groups don't nest.
      class Group
        def initialize(builder)
          @builder = builder
        end

        # @see Builder#step
        def step(job_class, **options)
          @builder.step(job_class, **options)
        end
      end

      def initialize(chain_id)
        @chain_id = chain_id
        @steps = []
        @groups = []
        @default_strategy = nil
        @initial_context = {}
      end

      # @param job_class [Class] extends {Resque::Plugins::JobChain}
      # @param options [Hash] the step's arguments, and besides: `on_failure` (`:abort`, `:retry`, `:skip`),
      #   `max_attempts`, `queue`, and `retry_delay`: seconds, or a callable that gives them for the number of attempts
      #   that have failed
      # @raise [ArgumentError] naming what is wrong
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

      # Steps that start together; the chain goes on when all of them have ended well.
      # @yieldparam group [Group]
      # @raise [ArgumentError] without a step
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

      # @param strategy [Symbol] for the steps that have none of their own
      def on_failure(strategy)
        @default_strategy = Strategies.resolve(strategy)::STRATEGY
      end

      # What all steps get in their arguments.
      def context(**initial_data)
        @initial_context.merge!(initial_data)
      end

      # @return [Chain]
      # @raise [ArgumentError] without a step
      def to_chain
        Chain.new(id: @chain_id, steps: @steps, default_strategy: @default_strategy, initial_context: @initial_context,
                  groups: @groups)
      end
    end
  end
end
