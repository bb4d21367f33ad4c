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
        return [] unless count.positive?

        wanted = start + count
        list = in_front(wanted)
        list += oldest(wanted - list.size) if list.size < wanted
        list += behind if list.size < wanted
        list.slice(start, count) || []
      end

      # @return [Array<String>] all payloads
      def everything
        list = foreign
        each_page_of_partitions do |page|
          page.each { |partition| each_waiting(partition) { |waiting| list << waiting } }
        end
        list
      end

      # Removes jobs of the same class with the same arguments.
      # @return [Integer] how many
      def remove(payload)
        return remove_elements(payload.partition, [payload.element]) if payload.is_a?(Waiting)

        wanted = decode(payload)
        removed = 0
        each_page_of_candidates(payload) do |page|
          page.each { |partition| removed += remove_from(partition, wanted) }
        end
        removed
      end

      # @param partitions [Array<String>] encoded
      # @return [Integer] jobs removed
      def clear(partitions)
        removed, cleared = @native.clear(@connection, partitions)
        Gauges.emit_pending(name, cleared.map { |partition| [partition, 0] })
        removed
      end

      # Removes all waiting jobs.
      # @return [Integer] jobs removed
      def clear_all
        mend(Queue::ALL_PAGES) # An index may be lost.
        removed = 0
        %i[runnable parked].each do |index|
          until (page = @native.partitions_by_turn(@connection, index, 0, 100)).empty?
            removed += clear(page)
          end
        end
        removed
      end

      # Forgets the run-time settings of all partitions.
      def forget_settings
        @native.forget_settings(@connection)
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

      # What others pushed into the main list.
      def foreign
        list = [] #: Array[String]
        each_of_main(PAGE) { |element| list << element unless element == TICKET }
        list
      end

      # That of it which stands in front of the first ticket, so many at the most.
      def in_front(most)
        list = [] #: Array[String]
        each_of_main([most, PAGE].min) do |element|
          break if element == TICKET || list.size == most

          list << element
        end
        list
      end

      # And that behind it.
      def behind
        list = [] #: Array[String]
        ticket_seen = false
        each_of_main(PAGE) do |element|
          if element == TICKET
            ticket_seen = true
          elsif ticket_seen
            list << element
          end
        end
        list
      end

      def each_of_main(page_size, &)
        offset = 0
        loop do
          page = @native.main_elements(@connection, offset, page_size)
          page.each(&)
          break if page.size < page_size

          offset += page_size
        end
      end

      # The oldest jobs of all partitions. Only those with the oldest heads can have them; of each as much is read as is
      # older than what was found before.
      def oldest(count)
        found = [] #: Array[[Integer, String, Integer, String]]
        bound = nil #: Integer?
        heads(count).each do |partition|
          found.concat(older(partition, bound, count))
          next if found.size < (bound ? 2 * count : count)

          found = found.sort.first(count)
          bound = found.last&.first
        end
        found.sort.first(count).map(&:last)
      end

      # @return [Array] time, partition, position in it and payload of its oldest jobs, none of them younger than
      #   `bound`
      def older(partition, bound, count)
        found = [] #: Array[[Integer, String, Integer, String]]
        while found.size < count
          wanted = [count - found.size, found.empty? ? 10 : 100].min
          page = @native.elements(@connection, partition, found.size, wanted)
          page.each do |element|
            time, payload = split(element)
            return found if bound && time > bound

            found << [time, partition, found.size, payload]
          end
          break if page.size < wanted
        end
        found
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
        same.each_slice(PAGE).sum { |elements| remove_elements(partition, elements.uniq) }
      end

      def remove_elements(encoded, elements)
        removed, partition, pending = @native.remove(@connection, encoded, elements)
        Gauges.emit(name, partition, pending: pending) if removed.positive?
        removed
      end

      # @return [Array(Integer, String)] milliseconds (0: not known), payload
      def split(element)
        return [0, element] unless element.match?(/\A\h{11}/n)

        [element[0, 11].to_s.hex, element[11..].to_s]
      end
    end
  end
end
