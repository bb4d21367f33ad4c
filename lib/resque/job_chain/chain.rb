# frozen_string_literal: true

module Resque
  module JobChain
    # A chain as it was declared, ready to start.
    class Chain
      # @return [String]
      attr_reader :id
      # @return [Array<Step>]
      attr_reader :steps
      # @return [Symbol] the strategy of steps that have none of their own
      attr_reader :default_strategy
      # @return [Hash] the data that steps share from the start
      attr_reader :initial_context
      # @return [Array<Array(Integer, Integer)>] first and last index of each parallel group
      attr_reader :groups

      # @param id [String, Symbol, Integer]
      # @param steps [Array<Step>]
      # @param default_strategy [Symbol, String, nil] for steps that have none of their own; nil: the configuration's
      # @param initial_context [Hash]
      # @param groups [Array<Array(Integer, Integer)>] first and last index of each parallel group
      # @raise [ArgumentError] for a chain without steps, or a value that can't be right, naming it
      def initialize(id:, steps:, default_strategy: nil, initial_context: {}, groups: [])
        @id = checked(id)
        raise ArgumentError, "chain #{@id.inspect} has no steps" if steps.nil? || steps.empty?

        @steps = steps
        @own_strategy = default_strategy && Strategies.resolve(default_strategy)::STRATEGY
        @default_strategy = @own_strategy || JobChain.configuration.default_strategy
        @initial_context = initial_context
        @groups = groups
      end

      # Writes the chain and enqueues its first step, or group, in one script.
      # @return [Boolean] false when there is a chain with this id already
      # @raise [ArgumentError] when the first step can't be enqueued, or JSON can't write a value; nothing is written
      #   then
      def start!
        run = JobChain.fresh_name
        delivery = Delivery.new(id, run, first_group.map { |index| [index, 1, steps.fetch(index)] }, initial_context)
        definition = encoded
        obstacle = delivery.prepare
        result, _, pendings = Persistence.call(id) do |native, connection|
          native.start(connection, run, JobChain.ttl, definition, obstacle&.to_a, delivery.jobs)
        end
        started(delivery, obstacle, pendings) if result == 'started'
        result == 'started'
      end

      # @return [Integer] number of steps
      def total_steps
        steps.length
      end

      private

      def checked(chain_id)
        id = chain_id.to_s
        return id.encode(Encoding::UTF_8) unless id.empty? || !id.valid_encoding?

        raise ArgumentError, "a chain's id is #{FairShare::Guard.show(chain_id)}; it must be text, and not empty"
      rescue EncodingError
        raise ArgumentError, "a chain's id is #{FairShare::Guard.show(chain_id)}, which can't be written in UTF-8"
      end

      # @return [Array<Integer>] indexes of the steps that start with the chain
      def first_group
        first, last = groups.first
        first&.zero? ? (first..last).to_a : [0]
      end

      def started(delivery, obstacle, pendings)
        Observable.notify(:chain_started, id)
        obstacle ? obstacle.notify(id) : delivery.enqueued(pendings)
      end

      # As `Native::Chain#start` takes it.
      def encoded
        [@own_strategy&.to_s, groups.map { |group| group.join('-') }.join(','), first_group.size,
         Context.encode(initial_context), encoded_steps]
      end

      def encoded_steps
        steps.map do |step|
          JSON.generate(step.to_h.compact)
        rescue JSON::GeneratorError, JSON::NestingError, EncodingError => e
          raise ArgumentError, "the arguments of step #{step.job_class} can't be written as JSON: #{e.message}"
        end
      end
    end
  end
end
