# frozen_string_literal: true

module Resque
  module FairShare
    # Moves jobs into a queue's partitions, and out of them in fair turns.
    # @private
    class Turns < Part
      # Passes over the head of the main list in one reserve.
      MOST_PASSES = 1000

      # @param queue [Queue]
      def initialize(queue)
        super
        @standing = queue.standing
        @leases = queue.leases
        @routes = Routes.new(@name)
      end

      # Puts a job into its partition.
      # @param payload [String] as Resque encoded it
      # @param partition [String, nil] its id; nil: the lane of the jobs that have none
      # @yieldreturn [Float, nil] its weight, in place of the configured one
      # @return [Boolean] false where a job without partition went into the main list, as stock Resque has it
      def enqueue(payload, partition)
        config = FairShare.configuration
        if partition && config.legacy_scan?
          pending = @native.enqueue_plain(@connection, payload, partition)
        else
          weight = partition && (block_given? ? yield : config.weight_of(@name, partition))
          pending = @native.enqueue(@connection, payload, partition, weight, cap)
          @standing.note(!pending.nil?)
        end
        Gauges.emit(@name, partition, pending: pending) if pending
        !pending.nil?
      end

      # @param jobs [Array<Array(String, String, Float)>] payload and partition of each, weight where one is configured
      # @return [Integer] how many
      def enqueue_all(jobs)
        if FairShare.configuration.legacy_scan?
          return jobs.each { |payload, partition| enqueue(payload, partition) }.size
        end

        @standing.seen_fair
        counts = @native.enqueue_all(@connection, jobs, cap)
        last = jobs.zip(counts).to_h { |(_, partition), pending| [partition, pending.to_i] }
        Gauges.emit_pending(@name, last)
        counts.size
      end

      # Takes the head of the main list, as Resque does.
      # @yieldreturn [String, nil] of Resque's own pop, where the core has no open connection
      # @return [String, nil] a payload, or a ticket
      def pop
        popped = @native.pop(@connection)
        return yield if popped == false

        popped #: String?
      end

      # Takes the next job in a fair turn.
      # @param ticket_given [Boolean] the caller has popped a ticket from the main list
      # @return [Lease, nil, :plain] `:plain` where the queue has no fair-share state, so that stock's pop is right
      # @raise [ProtocolError] for a reply that no script gives
      def reserve(ticket_given: false) # rubocop:disable Metrics -- a branch for each reply
        @leases.release_unanswered
        MOST_PASSES.times do
          reply = @native.reserve(@connection, ProcessIdentity.owner, ticket_given, cap, charge)
          ticket_given = false
          return scan if reply.first != :job && FairShare.configuration.legacy_scan?

          @standing.note(reply.first != :plain)
          case reply
          in [:job, *]
            lease = lease_from(reply)
            return lease if lease
          in [:nothing, reconcile] then return unless reconcile && Reconciliation.quietly(@queue).positive?
          in [:plain] then return :plain
          in [:again] then next
          in [:adopt, elements] then @queue.upkeep.adopt(elements)
          in [:gone, payload] then @queue.upkeep.report_gone(payload)
          else raise ProtocolError, "reserve answered #{reply.inspect[0, 200]}"
          end
        end
        nil
      end

      # The next reserve of this process gets that job.
      # @param lease_id [String]
      def give_back(lease_id)
        @native.give_back(lease_id)
      end

      # Puts back a payload that was popped as stock, if its class is a fair one: it takes its turn, under its cap.
      # @param payload [String]
      # @yield when all is known, before anything is written
      # @return [Boolean] whether it waits in its partition now
      def take_in(payload)
        partition = @routes.partition_of(payload)
        weight = partition && @routes.weight_of(partition)
        yield
        !partition.nil? && enqueue(payload, partition) { weight }
      end

      private

      # @return [Lease, nil] nil where the payload was no job
      def lease_from(job)
        _, reconcile, id, payload, readable, partition, pending, in_flight = job
        lease = Lease.new(@queue, id, payload)
        interrupted = true
        Gauges.emit(@name, partition, pending: pending, in_flight: in_flight)
        Reconciliation.quietly(@queue) if reconcile
        interrupted = false
        return lease if readable

        lease.fail(MalformedPayload.new("queue #{@name} held #{payload.inspect[0, 200]}, which is no job"))
        nil
      ensure
        # By a Timeout or a kill, which no rescue sees.
        lease.give_back if interrupted && lease
      end

      # The pick of dequeue_strategy = :legacy_scan, when no job waits in a partition that may run.
      def scan
        MOST_PASSES.times do
          elements = @native.main_elements(@connection, 0, FairShare.configuration.scan_size)
          return if elements.empty?

          reply = @native.scan(@connection, ProcessIdentity.owner, elements, @routes.of(elements), cap, charge)
          case reply
          in [:nothing, *] then return
          in [:job, *]
            lease = lease_from(reply)
            return lease if lease
          in [:again] then next # The list has changed.
          else raise ProtocolError, "scan answered #{reply.inspect[0, 200]}"
          end
        end
        nil
      end
    end
  end
end
