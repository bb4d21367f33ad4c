# frozen_string_literal: true

module Resque
  module FairShare
    # One queue as a user sees it. {FairShare.queue} gives one.
    # @example
    #   queue = Resque::FairShare.queue('default')
    #   queue.stats[:runnable]
    #   queue.partitions(order: :oldest, limit: 10).each { |tenant| puts tenant.id }
    class Queue
      # A job that runs now.
      #
      # - `id` [String] its lease's id
      # - `partition` [String, nil] its partition's id; nil: it has none
      # - `worker` [String] a worker's id, or HOST:PID where no worker is involved
      # - `started_at` [Time]
      # - `payload` [Hash] as Resque decodes it
      Running = Struct.new(:id, :partition, :worker, :started_at, :payload) # rubocop:disable Lint/StructNewOverride

      # The orders of {#partitions}.
      ORDERS = %i[next pending in_flight oldest].freeze

      # @private
      # @return [Queue] of the Redis that Resque uses now
      def self.current(name)
        connection, prefix = Connection.current
        connection.queue(prefix, name)
      end

      # @private
      # @param redis [Redis::Namespace, Redis, Object] what a Resque data store was made with
      # @return [Queue]
      def self.of(redis, name)
        connection, prefix = Connection.of(redis)
        connection.queue(prefix, name)
      end

      # @return [String]
      attr_reader :name
      # @private
      attr_reader :turns, :leases, :backlog, :upkeep, :control, :standing, :native, :connection

      # @private Use {FairShare.queue}.
      # @raise [ArgumentError] for a name that is not valid UTF-8
      def initialize(connection, prefix, name)
        @name = name = Check.text('a queue', name)
        @connection = connection
        @native = Native::Queue.new(prefix, name)
        @standing = Standing.new(@native, connection)
        @leases = Leases.new(self)
        @turns = Turns.new(self)
        @backlog = Backlog.new(self)
        @upkeep = Upkeep.new(self)
        @control = Control.new(self)
      end

      # @return [Hash] counts of jobs: `:pending` all that wait, `:runnable` those whose partition is neither paused nor
      #   at its cap (what an autoscaler wants), `:in_flight`; counts of partitions: `:partitions` with waiting jobs,
      #   `:parked` those of them that may not run, `:paused`; seconds or nil: `:oldest_age`, `:mean_job_time`
      # @example
      #   Resque::FairShare.queue('default').stats
      #   # => { pending: 12, runnable: 7, in_flight: 3, partitions: 4, parked: 1, paused: 1, oldest_age: 2.5,
      #   #      mean_job_time: 0.8 }
      def stats
        control.stats
      end

      # A page of the partitions that have waiting jobs. Only `:next` has an index: the other orders read all
      # partitions, a thousand at a time, and keep the page.
      # @param order [Symbol] `:next` the next served first (parked ones last), `:pending` and `:in_flight` the largest
      #   first, `:oldest` the longest wait first
      # @param limit [Integer] at the most
      # @param offset [Integer] how many to leave out
      # @return [Array<Partition>]
      # @raise [ArgumentError] for another order, or a limit or offset that is no Integer from 0 on
      def partitions(order: :next, limit: 50, offset: 0)
        order = Check.one_of(ORDERS, :order, order)
        Check.page(limit, offset)
        control.partitions(order, limit, offset)
      end

      # @param id [Object] its String is the partition's id; a record's is its GlobalID, as at an enqueue
      # @return [Partition] also when it has no job
      # @raise [ArgumentError] for an id that is not valid UTF-8
      def partition(id)
        id = Check.text('a partition', Resolver.id_of(id) || id.to_s)
        row = control.describe_row(Native::Queue.encoded(id))
        row[1] = id # which Redis may not know, where it is shortened
        Partition.new(self, row)
      end

      # @param limit [Integer] at the most
      # @param offset [Integer] how many to leave out
      # @return [Array<Running>] jobs that run now, the longest running first
      # @raise [ArgumentError] for a limit or offset that is no Integer from 0 on
      def running(limit: 50, offset: 0)
        Check.page(limit, offset)
        leases.running(limit, offset)
      end

      # Frees the slots of owners that are gone, and puts their jobs that never started back. Safe at any time.
      # @return [Integer] slots freed
      def reconcile
        Reconciliation.new(self).perform(Upkeep::ALL_PAGES)
      end
    end
  end
end
