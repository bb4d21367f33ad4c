# frozen_string_literal: true

module Resque
  module FairShare
    # A page of a queue's waiting jobs, as `Resque.peek` shows them.
    # @private
    class Peek
      # @param backlog [Backlog]
      # @param control [Control]
      def initialize(backlog, control)
        @backlog = backlog
        @control = control
      end

      # First the payloads in front of all tickets, then the partitions' jobs, the oldest first, then the payloads that
      # others pushed behind tickets. Each job is shown once.
      # @param start [Integer] from 0 on
      # @param count [Integer]
      # @return [Array<String>] payloads
      def page(start, count)
        return [] unless count.positive?

        wanted = start + count
        list = in_front(wanted)
        list += oldest(wanted - list.size) if list.size < wanted
        list += behind if list.size < wanted
        list.slice(start, count) || []
      end

      private

      # Payloads in front of the first ticket, so many at the most.
      def in_front(most)
        list = [] #: Array[String]
        @backlog.each_of_main([most, Backlog::PAGE].min) do |element|
          break if element == TICKET || list.size == most

          list << element
        end
        list
      end

      # Payloads behind the first ticket.
      def behind
        list = [] #: Array[String]
        ticket_seen = false
        @backlog.each_of_main do |element|
          if element == TICKET
            ticket_seen = true
          elsif ticket_seen
            list << element
          end
        end
        list
      end

      # The oldest jobs of all partitions. Only partitions with the oldest heads can have them; each is read only as far
      # as its jobs are older than those found before.
      def oldest(count)
        found = [] #: Array[[Integer, String, Integer, String]]
        bound = nil #: Integer?
        @control.heads(count).each do |partition|
          found.concat(older(partition, bound, count))
          next if found.size < (bound ? 2 * count : count)

          found = found.sort.first(count)
          bound = found.last&.first
        end
        found.sort.first(count).map(&:last)
      end

      # @return [Array] time (0: not known), partition, position in it and payload of its oldest jobs, none of them
      #   younger than `bound`
      def older(partition, bound, count)
        found = [] #: Array[[Integer, String, Integer, String]]
        while found.size < count
          wanted = [count - found.size, found.empty? ? 10 : 100].min
          page = @backlog.elements(partition, found.size, wanted)
          page = page.take_while { |time, _| time.to_i <= bound } if bound
          page.each { |time, payload| found << [time.to_i, partition, found.size, payload] }
          break if page.size < wanted
        end
        found
      end
    end
  end
end
