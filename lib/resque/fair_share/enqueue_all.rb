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
        queue = (queue || Resque.queue_from_class(klass)).to_s
        Resque.validate(klass, queue.empty? ? nil : queue)
        return list.count { |args| Resque.enqueue_to(queue, klass, *args) } if Resque.inline?

        # All are looked at before the first is written.
        jobs = list.map { |args| [job(klass, args), args] } #: Array[[job, args]]
        jobs.each_slice(BATCH_SIZE).sum { |batch| enqueue(klass, batch, queue) }
      end

      def check(klass, list)
        unless klass.is_a?(Plugins::FairShare)
          raise ArgumentError, "#{klass.inspect} does not extend Resque::Plugins::FairShare; use Resque.enqueue"
        end
        unless list.is_a?(Array)
          raise ArgumentError, "the list of arguments is #{list.inspect[0, 80]}; it must be an Array"
        end

        wrong = list.find { |args| !args.is_a?(Array) }
        return if wrong.nil? && list.none?(&:nil?)

        raise ArgumentError, "each job's arguments must be an Array; one is #{wrong.inspect[0, 80]}"
      end

      # @return [Array(String, String)] payload, partition
      def job(klass, args)
        item = { class: klass.to_s, args: args }
        payload = Resque.encode(item)
        [payload, Resolver.partition(klass, payload)]
      end

      # Hooks as in Resque.enqueue: before_enqueue may veto a job.
      def enqueue(klass, batch, queue)
        kept = batch.reject { |_, args| vetoed?(klass, args) }
        return 0 if kept.empty?

        Queue.current(queue).enqueue_all(kept.map(&:first))
        hooks = Plugin.after_enqueue_hooks(klass)
        kept.each { |job| hooks.each { |hook| klass.send(hook, *job.last) } } unless hooks.empty?
        kept.size
      end

      def vetoed?(klass, args)
        Plugin.before_enqueue_hooks(klass).map { |hook| klass.send(hook, *args) }.any?(false)
      end
    end
  end
end
