# frozen_string_literal: true

module Resque
  module JobChain
    # One job of a chain, as it was declared.
    class Step
      # @return [Class]
      attr_reader :job_class
      # @return [Hash] the declared arguments of the job
      attr_reader :args
      # @return [Symbol, nil] `:abort`, `:retry`, `:skip`; nil: the chain's default
      attr_reader :on_failure
      # @return [Integer, nil] nil: the configuration's default
      attr_reader :max_attempts
      # @return [Symbol, String] the step's own, else its class's
      attr_reader :queue
      # @return [Numeric, Array<Numeric>, nil] seconds before every retry; an Array: before each one in turn
      attr_reader :retry_delay

      # @param job_class [Class] extends {Resque::Plugins::JobChain}
      # @param args [Hash] values that JSON can write
      # @param on_failure [Symbol, String, nil] `:abort`, `:retry` or `:skip`; nil: the chain's default
      # @param max_attempts [Integer, nil] above 0; nil: the configuration's default
      # @param queue [Symbol, String, nil] nil: the class's own
      # @param retry_delay [Numeric, Array<Numeric>, nil] seconds before every retry, or before each one in turn
      # @raise [ArgumentError] naming the wrong value
      def initialize(job_class, args: {}, on_failure: nil, max_attempts: nil, queue: nil, retry_delay: nil) # rubocop:disable Metrics/ParameterLists
        @job_class = named_class(job_class)
        @args = checked(args)
        @on_failure = on_failure && Strategies.resolve(on_failure)::STRATEGY
        @max_attempts = max_attempts && Configuration.positive(:max_attempts, max_attempts)
        @queue = queue || class_queue
        @retry_delay = retry_delay
      end

      # The argument of `perform`: the declared arguments, overridden by the context, with the step's identity.
      # @param chain_id [String]
      # @param index [Integer]
      # @param context [Hash]
      # @return [Hash{String => Object}]
      def arguments(chain_id, index, context)
        args.transform_keys(&:to_s).merge(context.transform_keys(&:to_s), '_chain_id' => chain_id,
                                                                          '_step_index' => index)
      end

      # @return [Hash{String => Object}] the declaration as it is kept in Redis
      def to_h
        fields = {
          'class' => job_class.to_s,
          'args' => args.transform_keys(&:to_s),
          'on_failure' => on_failure&.to_s,
          'max_attempts' => max_attempts,
          'queue' => queue.to_s
        }
        retry_delay ? fields.merge('retry_delay' => retry_delay) : fields
      end

      # @param hash [Hash{String => Object}] as {#to_h} returned it; keys whose value is nil may be missing
      # @return [Step]
      # @raise [NameError] when there is no such class
      def self.from_h(hash)
        new(
          Resque.constantize(hash['class']),
          args: hash['args'] || {},
          on_failure: hash['on_failure']&.to_sym,
          max_attempts: hash['max_attempts'],
          queue: hash['queue']&.to_sym,
          retry_delay: hash['retry_delay']
        )
      end

      private

      def named_class(job_class)
        return job_class if job_class.is_a?(Module) && job_class.name

        raise ArgumentError, "a step is #{FairShare::Guard.show(job_class)}; it must be a class with a name, so " \
                             'that a worker finds it'
      end

      def checked(args)
        return args if args.is_a?(Hash)

        raise ArgumentError, "the arguments of step #{job_class} are #{FairShare::Guard.show(args)}; they must be " \
                             'a Hash'
      end

      def class_queue
        queue = Resque.queue_from_class(job_class)
        return queue if queue && !queue.to_s.empty? # Resque answers false, too

        raise ArgumentError,
              "step #{job_class} has no queue; give its class @queue or a method queue, or the step queue:"
      end
    end
  end
end
