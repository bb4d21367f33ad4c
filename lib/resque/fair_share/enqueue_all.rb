# frozen_string_literal: true

module Resque
  module FairShare
    # Many jobs of one class at once. See {FairShare.enqueue_all}.
    # @private
    module EnqueueAll
      BATCH_SIZE = 1000

      module_function

      def perform(klass, list, queue)
        check(klass, list)
        queue ||= Resque.queue_from_class(klass)
        Resque.validate(klass, queue)
        queue = queue.to_s
        return list.count { |args| Resque.enqueue_to(queue, klass, *args) } if Resque.inline?

        # All are checked before the first is written.
        jobs = list.map { |args| [job(klass, args, queue), args] } #: Array[[job, args]]
        jobs.each_slice(BATCH_SIZE).sum { |batch| enqueue(klass, batch, queue) }
      end

      def check(klass, list)
        unless Plugins::FairShare === klass # rubocop:disable Style/CaseEquality -- see Resolver.fair_class
          raise ArgumentError, "#{Guard.show(klass)} does not extend Resque::Plugins::FairShare; use Resque.enqueue"
        end
        unless list.is_a?(Array)
          raise ArgumentError, "the list of arguments is #{Guard.show(list, 80)}; it must be an Array"
        end

        wrong = list.find { |args| !args.is_a?(Array) }
        return if wrong.nil? && list.none?(&:nil?)

        raise ArgumentError, "each job's arguments must be an Array; one is #{Guard.show(wrong, 80)}"
      end

      # @return [Array(String, String, Float)] payload, partition, weight where one is configured
      def job(klass, args, queue)
        payload = Resque.encode(class: klass.to_s, args: args)
        Payload.check(payload, klass)
        partition = Resolver.partition(klass, Native.job(payload).last)
        [payload, partition, FairShare.configuration.weight_of(queue, partition)]
      end

      # Hooks as in Resque.enqueue: before_enqueue may veto a job, or change its arguments.
      def enqueue(klass, batch, queue)
        batch = before_enqueue(klass, batch, queue)
        return 0 if batch.empty?

        Queue.current(queue).turns.enqueue_all(batch.map(&:first))
        hooks = Plugin.after_enqueue_hooks(klass)
        batch.each { |job| hooks.each { |hook| klass.send(hook, *job.last) } } unless hooks.empty?
        batch.size
      end

      # @return [Array] the jobs of the batch that no hook vetoes
      def before_enqueue(klass, batch, queue)
        return batch if Plugin.before_enqueue_hooks(klass).empty?

        kept = batch.map(&:last).reject { |args| vetoed?(klass, args) }
        kept.map { |args| [job(klass, args, queue), args] }
      end

      def vetoed?(klass, args)
        Plugin.before_enqueue_hooks(klass).map { |hook| klass.send(hook, *args) }.any?(false)
      end
    end
  end
end
