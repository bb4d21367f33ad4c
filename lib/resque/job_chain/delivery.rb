# frozen_string_literal: true

module Resque
  module JobChain
    # The jobs of steps that start together. They are made before the script that enqueues them, and Resque's own hooks
    # run around it.
    # @private
    class Delivery
      # The payload's top-level key that says whose step the job is: chain id, run, step, token.
      KEY = 'job_chain'

      # @private One step's job.
      Part = Struct.new(:index, :token, :step, :args, :partition_id, :job) do
        # @implements Part

        def queue
          step.queue.to_s
        end

        def payload
          job[5]
        end
      end

      # For steps that a transition starts: an error in one of them fails the chain, and is not raised.
      # @param tokens [Hash{Snapshot::Row => Integer}]
      # @param delay [Numeric, nil] seconds
      # @return [Array(Delivery, nil), Array(nil, Obstacle)]
      def self.attempt(chain_id, snapshot, tokens, delay: nil, hooks: true)
        at = snapshot.current_step
        steps = tokens.map { |row, token| [at = row.index, token, row.step] } #: Array[part_of_chain]
        delivery = new(chain_id, snapshot.run, steps, snapshot.context, delay: delay, queued: true)
        obstacle = delivery.prepare(hooks: hooks)
        obstacle ? [nil, obstacle] : [delivery, nil]
      rescue ::Redis::BaseError
        raise
      rescue *FairShare::Guard::ERRORS => e
        [nil, Obstacle.from(e, delivery ? delivery.at : at.to_i)]
      end

      # @return [Array<Array>] as the core takes them
      attr_reader :jobs
      # @return [Integer] index of the last step it has worked on
      attr_reader :at

      # @param steps [Array<Array(Integer, Integer, Step)>] index, token and declaration
      # @param context [Hash]
      # @param delay [Numeric, nil] seconds
      # @param queued [Boolean] whether the chain runs already, so that a weight that raises can't refuse a step
      def initialize(chain_id, run, steps, context, delay: nil, queued: false) # rubocop:disable Metrics/ParameterLists
        @identity = [chain_id, run]
        @delay = delay
        @queued = queued
        @parts = steps.map do |index, token, step|
          Part.new(index, token, step, step.arguments(chain_id, index, context))
        end
        @jobs = []
        @at = steps.dig(0, 0) || 0
      end

      # Makes the jobs, then runs the hooks before them.
      # @return [Obstacle, nil] a veto
      # @raise any error in a job: no partition, not JSON, a hook's own
      def prepare(hooks: true)
        @parts.each { |part| make(part) }
        vetoed = @parts.find { |part| vetoed?(part) } if hooks
        return Obstacle.veto("before_#{hook_word}", vetoed.step.job_class, vetoed.index) if vetoed

        @jobs = @parts.map(&:job)
        nil
      end

      # The script has enqueued the jobs: runs the hooks after them.
      # @param pendings [Array<Integer>] of their partitions
      def enqueued(pendings)
        return Inline.perform(@parts.map(&:payload)) if Resque.inline?

        @parts.zip(pendings.to_a) do |part, pending|
          count(part, pending) if part.partition_id
          run_hooks_after(part)
        end
      end

      private

      def make(part)
        @at = part.index
        payload = payload_of(part)
        part.partition_id = partition_of(part, payload)
        payload = scheduler_item(part) if delayed?
        queue = part.queue
        part.job = [part.index, part.token, destination(part), queue, part.partition_id, payload,
                    FairShare.configuration.max_in_flight_of(queue), weight(part.partition_id, queue)]
      end

      # @return [Float, nil] nil where none is configured
      def weight(partition, queue)
        return unless partition
        return FairShare::Routes.new(queue).weight_of(partition) if @queued

        FairShare.configuration.weight_of(queue, partition)
      end

      def payload_of(part)
        # Resque.encode would write NaN, or a hundred levels with the payload's own, which no worker can read.
        JSON.generate([part.args], max_nesting: 99)
        Resque.encode(class: part.step.job_class.to_s, args: [part.args],
                      KEY => [*@identity, part.index, part.token])
      rescue JSON::GeneratorError, JSON::NestingError, EncodingError => e
        raise ArgumentError, "the arguments of step #{part.index}, #{part.step.job_class}, can't be written as JSON: " \
                             "#{JobChain.message_of(e)}"
      end

      # resque-scheduler enqueues by class and arguments, so such a job has no token.
      def scheduler_item(part)
        Resque.encode(class: part.step.job_class.to_s, args: [part.args], queue: part.queue)
      end

      # Resque.encode may write a value otherwise than JSON.generate, so the payload's own text counts.
      def partition_of(part, payload)
        klass = FairShare::Resolver.fair_class(part.step.job_class.to_s)
        klass && FairShare::Resolver.partition(klass, FairShare::Native.job(payload).last)
      end

      def destination(part)
        return :caller if Resque.inline?
        return @delay.to_f if @delay

        part.partition_id && FairShare.configuration.dequeue_strategy == :legacy_scan ? :list : :queue
      end

      def delayed?
        return false if Resque.inline?

        !@delay.nil?
      end

      def hook_word
        delayed? ? 'schedule' : 'enqueue'
      end

      # Resque.inline runs none of the hooks. A hook may change the arguments, so the job is made again.
      def vetoed?(part)
        hooks = Resque.inline? ? [] : hooks(part, 'before')
        return false if hooks.empty?

        @at = part.index
        return true if hooks.map { |hook| part.step.job_class.send(hook, part.args) }.include?(false)

        make(part)
        false
      end

      # The jobs are on their way: a hook's error is logged.
      def run_hooks_after(part)
        hooks(part, 'after').each do |hook|
          Observable.guard("hook #{hook} of #{part.step.job_class}") { part.step.job_class.send(hook, part.args) }
        end
      end

      # As Resque and resque-scheduler find them.
      def hooks(part, moment)
        Resque::Plugin.get_hook_names(part.step.job_class, "#{moment}_#{hook_word}")
      end

      def count(part, pending)
        queue = FairShare::Queue.current(part.queue)
        queue.standing.seen_fair
        FairShare::Gauges.emit(queue.name, part.partition_id, pending: pending) if pending&.positive?
      end
    end
  end
end
