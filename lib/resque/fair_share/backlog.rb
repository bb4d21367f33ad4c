# frozen_string_literal: true

module Resque
  module FairShare
    # What waits in a queue, over all its partitions.
    # @private
    module Backlog
      # A payload that knows where it waits, so that it can be removed without a search.
      class Waiting < String
        # @return [String] encoded
        attr_accessor :partition
        # @return [String] as the sub-queue holds it
        attr_accessor :element
      end

      PAGE = 1000

      # A page of the queue: what stands in front of all tickets, then the partitions' jobs, the oldest first, then what
      # others pushed behind tickets. Each job comes once.
      # @return [Array<String>] payloads
      def peek(start, count)
        front, behind = foreign
        wanted = start + count
        list = front
        list += oldest(wanted - list.size) if list.size < wanted
        list += behind if list.size < wanted
        list.slice(start, count) || []
      end

      # @return [Array<String>] all payloads
      def everything
        front, behind = foreign
        list = front + behind
        each_page_of_partitions do |page|
          page.each { |partition| each_waiting(partition) { |waiting| list << waiting } }
        end
        list
      end

      # Removes jobs of the same class with the same arguments.
      # @return [Integer] how many
      def remove(payload)
        return @native.remove(@connection, payload.partition, [payload.element]) if payload.is_a?(Waiting)

        wanted = Resque.decode(payload)
        removed = 0
        each_page_of_candidates(payload) do |page|
          page.each { |partition| removed += remove_from(partition, wanted) }
        end
        removed
      end

      # @param partitions [Array<String>] encoded
      # @return [Integer] jobs removed
      def clear(partitions)
        @native.clear(@connection, partitions)
      end

      # Removes all waiting jobs, and the run-time settings.
      # @return [Integer] jobs removed
      def clear_all
        removed = 0
        %i[runnable parked].each do |index|
          until (page = @native.partitions_by_turn(@connection, index, 0, 100)).empty?
            removed += clear(page)
          end
        end
        @native.forget_settings(@connection)
        removed
      end

      # @param partition [String] encoded
      # @return [Array<Hash>]
      def payloads(partition, offset, limit)
        @native.elements(@connection, partition, offset, limit).map { |element| decode(split(element).last) }
      end

      # @param partition [String] encoded
      # @return [Array] what {Partition} is made of
      def describe_row(partition)
        @native.describe(@connection, [partition], cap).first
      end

      private

      # What others pushed into the main list: in front of the first ticket, and behind it.
      def foreign
        lists = [[], []]
        behind = 0
        offset = 0
        loop do
          page = @native.main_elements(@connection, offset, PAGE)
          page.each { |element| element == TICKET ? behind = 1 : lists[behind] << element }
          offset += page.size
          break if page.size < PAGE
        end
        lists
      end

      # The oldest jobs of all partitions. Only those with the oldest heads can have them; of each as much is read as is
      # older than what was found before.
      def oldest(count)
        found = []
        heads = top(count, &:oldest_age_or_unknown)
        heads.each do |partition|
          bound = found.size >= count ? found[count - 1].first : nil
          read_older(partition.encoded, bound, count) do |time, payload|
            found << [time, partition.encoded, found.size, payload]
          end
          found = found.sort.first(count)
        end
        found.map(&:last)
      end

      def read_older(partition, bound, count, &)
        offset = 0
        while offset < count
          wanted = [count - offset, 100].min
          page = @native.elements(@connection, partition, offset, wanted).map { |element| split(element) }
          older = bound ? page.take_while { |time, _| time <= bound } : page
          older.each(&)
          break if older.size < wanted

          offset += wanted
        end
      end

      def each_waiting(partition)
        offset = 0
        loop do
          page = @native.elements(@connection, partition, offset, PAGE)
          page.each { |element| yield waiting(partition, element) }
          break if page.size < PAGE

          offset += PAGE
        end
      end

      def waiting(partition, element)
        Waiting.new(split(element).last).tap do |waiting|
          waiting.partition = partition
          waiting.element = element
        end
      end

      # Where a payload can wait: in its partition, where its class tells one.
      def each_page_of_candidates(payload, &)
        klass = Resolver.fair_class(Native.job_class(payload))
        return each_page_of_partitions(&) unless klass

        yield [Native::FairQueue.encoded(Resolver.partition(klass, payload))]
      rescue ArgumentError
        each_page_of_partitions(&)
      end

      def remove_from(partition, wanted)
        same = []
        each_waiting(partition) do |waiting|
          found = decode(waiting)
          same << waiting.element if found['class'] == wanted['class'] && found['args'] == wanted['args']
        end
        same.each_slice(PAGE).sum { |elements| @native.remove(@connection, partition, elements.uniq) }
      end

      # @return [Array(Integer, String)] milliseconds (0: not known), payload
      def split(element)
        return [0, element] unless element.match?(/\A\h{11}/n)

        [element[0, 11].to_s.hex, element[11..].to_s]
      end
    end
  end
end
