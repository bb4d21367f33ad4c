# frozen_string_literal: true

module Resque
  module FairShare
    # One queue: what waits and runs in it, and its partitions.
    class Queue
      include Dispatch
      include Backlog

      # A job that runs now. `id` is its lease's, `partition` an id or nil, `worker` a worker's id or HOST:PID,
      # `started_at` a Time, `payload` a Hash as Resque decodes it.
      Running = Struct.new(:id, :partition, :worker, :started_at, :payload) # rubocop:disable Lint/StructNewOverride

      # Pages of a thousand partitions: more than there can be, and what a worker looks at beside a reserve.
      ALL_PAGES = 2**32
      PAGES_A_LOOK = 10

      ORDERS = %i[next pending in_flight oldest].freeze

      # @return [Queue] of the Redis that Resque uses now
      def self.current(name)
        connection, prefix = Connection.current
        connection.queue(prefix, name)
      end

      # @param redis [Redis::Namespace, Redis, Object] what a Resque data store was made with
      # @return [Queue]
      def self.of(redis, name)
        connection, prefix = Connection.of(redis)
        connection.queue(prefix, name)
      end

      # @return [String]
      attr_reader :name

      # @private Use {FairShare.queue}.
      def initialize(connection, prefix, name)
        @name = name
        @connection = connection
        @native = Native::FairQueue.new(prefix, name)
        @fair = false
        @trusted_until = nil
        @unreleased = []
      end

      # @return [Hash] counts of jobs: `:pending` all that wait, `:runnable` those whose partition is neither paused nor
      #   at its cap (what an autoscaler wants), `:in_flight`; counts of partitions: `:partitions` with waiting jobs,
      #   `:parked` those of them that may not run, `:paused`; seconds or nil: `:oldest_age`, `:mean_job_time`
      def stats
        counts = @native.stats(@connection)
        mean = counts.delete(:mean_job_time)
        age = describe(heads(1)).first&.oldest_age if counts[:pending].positive?
        counts.merge(oldest_age: age, mean_job_time: mean && (mean / 1000.0)) #: stats
      end

      # A page of the partitions that have waiting jobs. No order but `:next` has an index: the others look at all
      # partitions, a thousand at a time, and keep the page.
      # @param order [Symbol] `:next` the next served first (parked ones last), `:pending` and `:in_flight` the largest
      #   first, `:oldest` the longest wait first
      # @param limit [Integer] at the most
      # @param offset [Integer] how many to leave out
      # @return [Array<Partition>]
      # @raise [ArgumentError] for another order, or a negative number
      def partitions(order: :next, limit: 50, offset: 0)
        order = Check.one_of(ORDERS, :order, order)
        Check.page(limit, offset)
        case order
        when :next then describe(by_turn(limit, offset))
        when :oldest then describe(heads(limit + offset).drop(offset))
        else top(limit + offset) { |partition| partition.public_send(order) }.drop(offset)
        end
      end

      # @param id [Object] its String is the partition's id
      # @return [Partition] also when it has no job
      def partition(id)
        row = describe_row(Native::FairQueue.encoded(id.to_s))
        row[1] = id.to_s # which Redis may not know, where it is shortened
        Partition.new(self, row)
      end

      # @return [Array<Running>] jobs that run now, the longest running first
      # @raise [ArgumentError] for a negative number
      def running(limit: 50, offset: 0)
        Check.page(limit, offset)
        leases = []
        each_lease { |lease| leases << lease }
        page = leases.sort_by { |lease| [lease[2], lease[0]] }.slice(offset, limit).to_a
        page.map do |id, partition, started, owner, payload|
          worker = ProcessIdentity.parse(owner).worker
          Running.new(id, given(partition), worker, Time.at(started / 1000.0), decode(payload))
        end
      end

      # Frees the slots of owners that are gone, and puts their jobs that never started back. Safe at any time.
      # @return [Integer] slots freed
      def reconcile
        Reconciliation.new(self).perform(ALL_PAGES)
      end

      # @private Beside a reserve, whose job it must not cost, nor much time.
      def reconcile_quietly
        Reconciliation.new(self).perform(PAGES_A_LOOK)
      rescue StandardError => e
        FairShare.logger.error("resque-fair-share: could not reconcile queue #{name}: #{e.class}: #{e.message}")
        0
      end

      # @private A change of one partition's run-time settings; :keep leaves one as it is, nil takes it back.
      def set(id, weight: :keep, max_in_flight: :keep, paused: :keep)
        @native.set(@connection, id, weight, max_in_flight, paused, cap)
      end

      # @private
      # @param encoded [Array<String>]
      # @return [Array<Partition>]
      def describe(encoded)
        return [] if encoded.empty?

        @native.describe(@connection, encoded, cap).map { |row| Partition.new(self, row) }
      end

      # @private
      # @yieldparam lease [Array] id, partition, start in milliseconds, owner, payload
      def each_lease(&block)
        cursor = 0
        loop do
          cursor, page = @native.leases(@connection, cursor)
          page.each(&block)
          break if cursor.zero?
        end
      end

      # @private
      # @yieldparam page [Array<String>] encoded ids of partitions that have waiting jobs
      def each_page_of_partitions
        %i[runnable parked].each do |index|
          cursor = 0
          loop do
            cursor, page = @native.partitions_page(@connection, index, cursor)
            yield page unless page.empty?
            break if cursor.zero?
          end
        end
      end

      private

      def by_turn(limit, offset)
        runnable = @native.partitions_by_turn(@connection, :runnable, offset, limit)
        return runnable if runnable.size == limit

        counts = @native.stats(@connection)
        skipped = [offset - (counts[:partitions] - counts[:parked]), 0].max
        runnable + @native.partitions_by_turn(@connection, :parked, skipped, limit - runnable.size)
      end

      # A lease has the id as it stands in key names where that is shortened.
      def given(id)
        id&.match?(/~\h{40}\z/) ? describe([id]).first&.id : id
      end

      # The partitions whose oldest job waits the longest, the longest first. Times of enqueueing are compared, not
      # ages, each of which was true at another moment.
      # @return [Array<String>] encoded
      def heads(count)
        return [] if count.zero?

        found = [] #: Array[[Integer, String]]
        bound = nil #: Integer?
        each_page_of_heads(-> { bound }) do |page|
          found.concat(page)
          next if found.size < (bound ? 2 * count : count)

          found = found.uniq.sort.first(count)
          bound = found[count - 1]&.first
        end
        found.uniq.sort.first(count).map(&:last)
      end

      def each_page_of_heads(bound)
        %i[runnable parked].each do |index|
          cursor = 0
          loop do
            cursor, page = @native.oldest(@connection, index, cursor, bound.call)
            yield page
            break if cursor.zero?
          end
        end
      end

      # The partitions with the largest value, the largest first; without a value last.
      def top(count, &value)
        best = {}
        each_page_of_partitions do |page|
          describe(page).each { |partition| best[partition.encoded] = partition }
          next if best.size < 2 * [count, 1000].max

          best = largest(best, count, &value)
        end
        largest(best, count, &value).values
      end

      def largest(partitions, count)
        partitions.sort_by { |encoded, partition| [-(yield(partition) || -1), encoded] }.first(count).to_h
      end

      def cap
        FairShare.configuration.max_in_flight_of(name)
      end

      def charge
        FairShare.configuration.charge_of(name)
      end

      # What is no job is shown as the arguments of none.
      def decode(payload)
        decoded = Resque.decode(payload)
        decoded.is_a?(Hash) ? decoded : { 'class' => nil, 'args' => [payload] }
      rescue Resque::Helpers::DecodeException
        { 'class' => nil, 'args' => [payload] }
      end
    end
  end
end
