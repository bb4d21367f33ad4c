# frozen_string_literal: true

module Resque
  module FairShare
    # Describes a queue's partitions, and changes their run-time settings.
    # @private
    class Control < Part
      INDEXES = %i[runnable parked].freeze
      # Partitions that are kept while the largest are looked for, at the least.
      KEPT = 1000
      private_constant :INDEXES, :KEPT

      # @return [Hash] as {Queue#stats}
      def stats
        counts = @native.stats(@connection)
        mean = counts.delete(:mean_job_time)
        age = describe(heads(1)).first&.oldest_age if counts[:pending].positive?
        counts.merge(oldest_age: age, mean_job_time: mean && (mean / 1000.0)) #: Queue::stats
      end

      # @return [Array<Partition>] as {Queue#partitions}
      def partitions(order, limit, offset)
        case order
        when :next then describe(by_turn(limit, offset))
        when :oldest then describe(heads(limit + offset).drop(offset))
        else top(limit + offset) { |partition| partition.public_send(order) }.drop(offset)
        end
      end

      # @param encoded [Array<String>]
      # @return [Array<Partition>]
      def describe(encoded)
        return [] if encoded.empty?

        @native.describe(@connection, encoded, cap).map { |row| Partition.new(@queue, row) }
      end

      # @param encoded [String]
      # @return [Array] the row that {Partition} is made of
      def describe_row(encoded)
        @native.describe(@connection, [encoded], cap).first
      end

      # The partitions whose oldest job waits the longest, the longest first. Compares times of enqueueing, not ages,
      # each of which was true at another moment.
      # @return [Array<String>] encoded
      def heads(count)
        return [] if count.zero?

        found = [] #: Array[[Integer, String]]
        bound = nil #: Integer?
        each_page_of_indexes(->(index, cursor) { @native.oldest(@connection, index, cursor, bound) }) do |page|
          found.concat(page)
          next if found.size < (bound ? 2 * count : count)

          found = found.uniq.sort.first(count)
          bound = found[count - 1]&.first
        end
        found.uniq.sort.first(count).map(&:last)
      end

      # @yieldparam page [Array<String>] encoded ids of partitions that have waiting jobs
      def each_page_of_partitions
        each_page_of_indexes(->(index, cursor) { @native.partitions_page(@connection, index, cursor) }) do |page|
          yield page unless page.empty?
        end
      end

      # Changes one partition's run-time settings; :keep leaves one as it is, nil takes it back.
      # @param id [String] as it was given
      # @return [Array] weight, cap and whether it is paused, as they are now
      def set(id, weight: :keep, max_in_flight: :keep, paused: :keep)
        @native.set(@connection, id, weight, max_in_flight, paused, cap)
      end

      # Forgets the run-time settings of all partitions.
      def forget_settings
        @native.forget_settings(@connection)
      end

      private

      # @return [Array<String>] encoded, the next served first
      def by_turn(limit, offset)
        runnable = @native.partitions_by_turn(@connection, :runnable, offset, limit)
        return runnable if runnable.size == limit

        counts = @native.stats(@connection)
        skipped = [offset - (counts[:partitions] - counts[:parked]), 0].max
        runnable + @native.partitions_by_turn(@connection, :parked, skipped, limit - runnable.size)
      end

      # @param fetch [Proc] gets an index and a cursor; gives the next cursor and a page
      def each_page_of_indexes(fetch, &)
        INDEXES.each { |index| each_page(->(cursor) { fetch.call(index, cursor) }, &) }
      end

      # The partitions with the largest value, the largest first; without a value last.
      def top(count, &value)
        best = {}
        each_page_of_partitions do |page|
          describe(page).each { |partition| best[partition.encoded] = partition }
          next if best.size < 2 * [count, KEPT].max

          best = largest(best, count, &value)
        end
        largest(best, count, &value).values
      end

      def largest(partitions, count)
        partitions.sort_by { |encoded, partition| [-(yield(partition) || -1), encoded] }.first(count).to_h
      end
    end
  end
end
