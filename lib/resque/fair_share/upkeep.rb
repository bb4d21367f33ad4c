# frozen_string_literal: true

module Resque
  module FairShare
    # Keeps a queue's lists, indexes and counters in line with each other.
    # @private
    class Upkeep < Part
      # Pages for {#mend}: more than there can be.
      ALL_PAGES = 2**32
      # That a mend puts back.
      TICKETS_A_CALL = 1000

      # @param queue [Queue]
      def initialize(queue)
        super
        @routes = Routes.new(@name)
      end

      # Corrects the queue's state by its lists and leases, a page of partitions at a time, and deletes the state when
      # nothing waits or runs. A next call continues where this one has stopped.
      # @param pages [Integer] at the most
      def mend(pages)
        ends = 0
        lost = false
        pages.times do
          ended, tickets, lost = @native.mend(@connection, cap)
          ends += 1 if ended
          # Two indexes alternate and the first pass may start mid-way, so three ends mean that both were covered.
          break if ends >= 3 && tickets < TICKETS_A_CALL
        end
        reindex if lost
      end

      # One page is enough where something was removed.
      def sweep
        mend(1)
      end

      # Moves elements from the head of the main list into their partitions.
      # @param elements [Array<String>] as they are there
      # @param rotate [Boolean] whether tickets go to the tail
      # @param routes [Routes]
      # @return [Array(Integer, Integer)] looked at, adopted
      def adopt(elements, rotate: false, routes: @routes)
        return [0, 0] if elements.empty?

        looked_at, adopted, pending = @native.adopt(@connection, elements, routes.of(elements), rotate, cap)
        Gauges.emit_pending(@name, pending)
        [looked_at, adopted]
      end

      # Adopts the whole main list, as it is now, in batches.
      # @param batch_size [Integer]
      # @param routes [Routes]
      # @yieldparam moved [Integer] so far
      # @return [Integer] jobs moved
      def migrate(batch_size, routes)
        left = Resque.data_store.queue_size(@name)
        moved = 0
        while left.positive?
          elements = @native.main_elements(@connection, 0, [batch_size, left].min)
          break if elements.empty?

          looked_at, adopted = adopt(elements, rotate: true, routes: routes)
          left -= looked_at
          moved += adopted
          yield moved if block_given?
        end
        @queue.standing.seen_fair
        moved
      end

      # Moves all waiting jobs back into the main list.
      # @param batch_size [Integer]
      # @yieldparam moved [Integer] so far
      # @return [Integer] jobs moved
      def rollback(batch_size)
        moved = 0
        loop do
          batch, gone, pending = @native.rollback(@connection, batch_size)
          Gauges.emit_pending(@name, pending)
          gone.each { |payload| report_gone(payload) }
          moved += batch
          yield moved if block_given?
          break if batch + gone.size < batch_size
        end
        @queue.standing.look
        moved
      end

      # The job may have run, so it is not run; nor is it dropped in silence.
      # @param payload [String]
      def report_gone(payload)
        error = CopyGone.new("a job that resque-fair-share 0.1.0 wrote into queue #{@name} is not run: its copy in " \
                             'the main list is gone, so it has run, or was dequeued; retry it if you know better')
        FailedList.add(decode(Guard.text(payload)), error, @name)
      end

      private

      # An index was evicted, or deleted by hand: the names of the lists tell which partitions it had.
      def reindex
        Guard.log(:error, "resque-fair-share: queue #{@name} has lost an index in Redis; rebuilding it")
        cursor = 0
        loop do
          cursor, partitions = @native.lists(@connection, cursor)
          @native.reindex(@connection, partitions, cursor.zero?, cap)
          break if cursor.zero?
        end
      end
    end
  end
end
