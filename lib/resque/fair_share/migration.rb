# frozen_string_literal: true

module Resque
  module FairShare
    # Moves a queue between the plain list and the partitions, with workers running.
    module Migration
      BATCH_SIZE = 500

      class << self
        # Moves the plain backlog, and that which resque-fair-share 0.1.0 wrote, into the partitions. Safe to interrupt
        # and to repeat: each job is moved once.
        # @param queue [String, Symbol]
        # @param partition_key [Symbol, String, nil] where a job's partition is, for classes that don't tell by
        #   fair_share_on; default: the configured one. Jobs of other classes that have the key get a partition as well.
        # @yieldparam moved [Integer] jobs so far, after each batch
        # @return [Integer] jobs moved
        # @raise [ArgumentError] for a queue or a key that is no name, before anything is moved
        # @example
        #   Resque::FairShare::Migration.perform('default') { |moved| puts moved }
        def perform(queue, partition_key: nil, &progress)
          fair_queue = queue_named(queue)
          Check.word(:partition_key, partition_key) unless partition_key.nil?
          moved = fair_queue.migrate(BATCH_SIZE, ->(payload) { route(fair_queue, payload, partition_key) }, &progress)
          fair_queue.reconcile
          moved
        end

        # Back into the plain list, in the order in which the jobs would have been served, had all run equally long.
        # Switch to `dequeue_strategy = :legacy_scan`, or to workers without this gem, first: other workers adopt the
        # jobs again.
        # @return [Integer] jobs moved
        # @raise [ArgumentError] for a queue that is no name
        def rollback(queue, &)
          queue_named(queue).rollback(BATCH_SIZE, &)
        end

        private

        def queue_named(name)
          Queue.current(Check.word(:queue, name).to_s)
        end

        def route(queue, payload, partition_key)
          return queue.route(payload) if partition_key.nil? && Resolver.fair_class(Native.job_class(payload))

          key = (partition_key || FairShare.configuration.partition_key).to_s
          found = Native.partition(payload, key, FairShare.configuration.partition_index)
          return queue.route(payload) unless found.is_a?(String)

          [found, FairShare.configuration.weight_of(queue.name, found)]
        end
      end
    end
  end
end
