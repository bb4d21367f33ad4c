# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # Every enqueue and every pop of Resque and its plugins goes through these methods, and no plugin aliases them.
      # @private
      module QueueAccess
        STOCK = Stock.new(Resque::DataStore::QueueAccess, self, 'resque/data_store.rb', %i[pop_from_queue])
        private_constant :STOCK

        def push_to_queue(queue, encoded_item)
          partition = Resolver.partition_of(encoded_item)
          fair_queue = Queue.of(@redis, queue)
          # A job without partition takes its turn in the queue's own lane, where there are others to take turns with.
          return super unless partition || fair_queue.standing.lane?

          return fair_queue.turns.enqueue(encoded_item, partition || nil) unless partition == false

          warn_of_unknown(encoded_item, queue)
          super
        rescue *Guard::ERRORS => e
          Scheduled.refused(encoded_item, e, queue.to_s)
          raise
        end

        # @return [String, nil] a payload, as stock; one from a partition carries its lease
        def pop_from_queue(queue)
          JobReserve.popping
          return skip(queue) unless Check.text?(queue.to_s)

          fair_queue = Queue.of(@redis, queue)
          unless fair_queue.standing.fair?
            popped = pop_as_stock(fair_queue) { super }
            return JobReserve.popped_as_stock(fair_queue, popped) unless popped == TICKET || take_in(fair_queue, popped)
          end
          lease = fair_queue.turns.reserve(ticket_given: popped == TICKET)
          return super if lease == :plain

          JobReserve.popped(lease) if lease.is_a?(Lease)
        end

        # `peek_in_queue` calls it, too. As in stock: an object for a count of 1, else an Array.
        def list_range(key, start = 0, count = 1)
          found = super
          return found unless key.to_s.start_with?('queue:') && !Array(found).empty?

          queue = key.to_s.delete_prefix('queue:')
          return found unless Array(found).include?(TICKET) || behind_tickets?(queue, start)

          from, most = in_redis_order(queue, start.to_i, count.to_i)
          page = Queue.of(@redis, queue).backlog.peek(from, most)
          count == 1 ? page.first : page
        end

        def everything_in_queue(queue)
          found = super
          found.include?(TICKET) ? Queue.of(@redis, queue).backlog.everything : found
        end

        # By class and arguments, not by bytes, where a job waits in a partition.
        # @return [Integer] jobs removed
        def remove_from_queue(queue, data)
          fair_queue = Queue.of(@redis, queue)
          return super unless fair_queue.standing.look
          return fair_queue.backlog.remove(data) if data.is_a?(Backlog::Waiting)

          in_list = super.to_i
          fair_queue.upkeep.sweep if in_list.positive?
          in_list + fair_queue.backlog.remove(data)
        end

        # Running jobs go on; the run-time settings go with the queue.
        def remove_queue(queue)
          return super unless Check.text?(queue.to_s)

          fair_queue = Queue.of(@redis, queue)
          fair = fair_queue.standing.look
          fair_queue.backlog.clear_all if fair
          super.tap do
            fair_queue.control.forget_settings
            fair_queue.upkeep.sweep if fair
          end
        end

        private

        # This process can't tell the job's tenant. A worker that knows the class routes it from the main list.
        def warn_of_unknown(payload, queue)
          name = Native.job(payload).first
          Guard.warn_once([:unknown, name], every: Float::INFINITY) do
            "this process has no class #{Guard.text(name.to_s)}; its jobs go into the main list of queue #{queue}, " \
              'and a worker that has the class puts them into their partitions'
          end
        end

        # A worker of all queues goes on with the others.
        # @return [nil]
        def skip(queue)
          Guard.warn_once([:queue, queue], every: Float::INFINITY) do
            "queue #{Guard.show(queue)} is skipped: its name is not valid UTF-8"
          end
        end

        # An interrupt while a rule of the job's class is asked must not lose the job.
        def take_in(fair_queue, payload)
          return false if payload.nil?

          decided = false
          fair_queue.turns.take_in(payload) { decided = true }
        ensure
          @redis.lpush(redis_key_for_queue(fair_queue.name), payload) if payload && !decided
        end

        # @yieldreturn [String, nil] of Resque's pop
        def pop_as_stock(fair_queue, &)
          STOCK.below?(:pop_from_queue) ? fair_queue.turns.pop(&) : yield
        end

        # Payloads that others pushed behind tickets are shown after the jobs of those tickets.
        def behind_tickets?(queue, start)
          start.to_i != 0 && Queue.of(@redis, queue).standing.look
        end

        # Start and count may be negative, as LRANGE and LINDEX take them.
        # @return [Array(Integer, Integer)] start and count from 0 on
        def in_redis_order(queue, start, count)
          last = start + count - 1
          return [start, count] unless start.negative? || last.negative?

          size = queue_size(queue)
          first = start.negative? ? [start + size, 0].max : start
          last += size if last.negative?
          [first, last - first + 1]
        end
      end
    end
  end
end

Resque::DataStore::QueueAccess.prepend(Resque::FairShare::Patches::QueueAccess)
