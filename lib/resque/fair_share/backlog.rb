# frozen_string_literal: true

module Resque
  module FairShare
    # The waiting jobs of a queue, in all its partitions.
    # @private
    class Backlog < Part
      # A payload that knows where it waits, so that it can be removed without a search.
      # @private
      class Waiting < String
        # @return [String] encoded
        attr_accessor :partition
        # @return [Integer, nil] milliseconds, when it was enqueued; nil: not known
        attr_accessor :time
      end

      PAGE = 1000

      # @param start [Integer] from 0 on
      # @param count [Integer]
      # @return [Array<String>] payloads, see {Peek#page}
      def peek(start, count)
        Peek.new(self, @queue.control).page(start, count)
      end

      # @return [Array<String>] all payloads: first those that others pushed into the main list
      def everything
        list = [] #: Array[String]
        each_of_main { |element| list << element unless element == TICKET }
        @queue.control.each_page_of_partitions do |page|
          page.each { |partition| each_waiting(partition) { |waiting| list << waiting } }
        end
        list
      end

      # Jobs popped from the head do not move what is counted from the tail, so no job that stays is passed over.
      # @yieldparam payload [String] of the main list and of each partition
      def each_payload_from_tail(&block)
        each_element(->(offset) { @native.main_tail(@connection, offset, PAGE) }) do |element|
          yield element unless element == TICKET
        end
        @queue.control.each_page_of_partitions do |page|
          page.each do |partition|
            each_element(->(offset) { @native.tail(@connection, partition, offset, PAGE) }, &block)
          end
        end
      end

      # Removes jobs of the same class with the same arguments; a {Waiting} only itself.
      # @param payload [String]
      # @return [Integer] how many
      def remove(payload)
        return remove_elements(payload.partition, [[payload.time, payload]]) if payload.is_a?(Waiting)

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
        Gauges.emit_pending(@name, cleared.map { |partition| [partition, 0] })
        removed
      end

      # Removes all waiting jobs of all partitions.
      # @return [Integer] jobs removed
      def clear_all
        @queue.upkeep.mend(Upkeep::ALL_PAGES) # An index may be lost.
        removed = 0
        %i[runnable parked].each do |index|
          until (page = @native.partitions_by_turn(@connection, index, 0, 100)).empty?
            removed += clear(page)
          end
        end
        removed
      end

      # @param partition [String] encoded
      # @return [Array<Hash>]
      def payloads(partition, offset, limit)
        elements(partition, offset, limit).map { |_, payload| decode(payload) }
      end

      # @param partition [String] encoded
      # @return [Array<Array(Integer, String)>] time of enqueueing in milliseconds (nil: not known) and payload
      def elements(partition, offset, limit)
        @native.elements(@connection, partition, offset, limit)
      end

      # @param page_size [Integer]
      # @yieldparam element [String] of the main list: a ticket, or a payload that others pushed
      def each_of_main(page_size = PAGE, &)
        each_element(->(offset) { @native.main_elements(@connection, offset, page_size) }, page_size, &)
      end

      private

      # @param fetch [Proc] gets an offset; gives a page
      def each_element(fetch, page_size = PAGE, &)
        offset = 0
        loop do
          page = fetch.call(offset)
          page.each(&)
          break if page.size < page_size

          offset += page_size
        end
      end

      def each_waiting(partition)
        each_element(->(offset) { elements(partition, offset, PAGE) }) do |element|
          waiting = Waiting.new(element.last.to_s)
          waiting.partition = partition
          waiting.time = element.first
          yield waiting
        end
      end

      # Where a payload can wait: in its partition, if its class tells that.
      def each_page_of_candidates(payload, &)
        partition = partition_of(payload)
        return @queue.control.each_page_of_partitions(&) unless partition

        yield [Native::Queue.encoded(partition)]
      end

      # @return [String, false, nil] not there where its class's rule raises
      def partition_of(payload)
        Resolver.partition_of(payload)
      rescue *Guard::ERRORS
        nil
      end

      def remove_from(partition, wanted)
        same = [] #: Array[Native::Queue::element]
        each_waiting(partition) do |waiting|
          found = decode(waiting)
          same << [waiting.time, waiting] if found['class'] == wanted['class'] && found['args'] == wanted['args']
        end
        same.each_slice(PAGE).sum { |elements| remove_elements(partition, elements.uniq) }
      end

      def remove_elements(encoded, elements)
        removed, partition, pending = @native.remove(@connection, encoded, elements)
        Gauges.emit(@name, partition, pending: pending) if removed.positive?
        removed
      end
    end
  end
end
