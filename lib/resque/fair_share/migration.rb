# frozen_string_literal: true

module Resque
  module FairShare
    # Moves a queue between the plain list and the partitions, with workers running.
    module Migration
      # Jobs that are moved at a time.
      BATCH_SIZE = 500

      # Looks for a partition key also in jobs whose class does not extend {Resque::Plugins::FairShare}.
      # @private
      class Routes < FairShare::Routes
        # @param key [Symbol, String, nil] where the partition of all jobs is; nil: the configured key, for jobs whose
        #   class does not tell
        def initialize(queue_name, key)
          super(queue_name)
          @for_all = !key.nil?
          @key = (key || FairShare.configuration.partition_key).to_s
        end

        private

        def find(klass, args)
          by_key(args, klass) || super
        end

        def by_key(args, klass)
          return if klass && !@for_all

          found = Native.partition(args, @key, FairShare.configuration.partition_index)
          found if found.is_a?(String)
        end
      end

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
          moved = fair_queue.upkeep.migrate(BATCH_SIZE, Routes.new(fair_queue.name, partition_key), &progress)
          fair_queue.reconcile
          moved
        end

        # Moves all waiting jobs back into the plain list, in the order in which they would have been served, had all
        # run equally long. Switch to `dequeue_strategy = :legacy_scan`, or to workers without this gem, first: other
        # workers adopt the jobs again.
        # @param queue [String, Symbol]
        # @yieldparam moved [Integer] jobs so far, after each batch
        # @return [Integer] jobs moved
        # @raise [ArgumentError] for a queue that is no name
        # @example
        #   Resque::FairShare::Migration.rollback('default')
        def rollback(queue, &)
          queue_named(queue).upkeep.rollback(BATCH_SIZE, &)
        end

        private

        def queue_named(name)
          Queue.current(Check.word(:queue, name).to_s)
        end
      end
    end
  end
end
