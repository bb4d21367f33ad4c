# frozen_string_literal: true

module Resque
  module FairShare
    # One queue, as one process sees it.
    class Queue
      # For how long a process trusts that a queue is fair (or that it is not) without looking: seconds.
      FAIR_FOR = 5
      PLAIN_FOR = 60
      # Passes over the head of the main list in one reserve.
      MOST_ADOPTIONS = 1000

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
        @trusted_until = now + PLAIN_FOR
        @fair = false
      end

      # Puts a job into its partition.
      # @param payload [String] as Resque encoded it
      # @param partition [String, nil] its id; nil: the lane of the jobs that have none
      # @return [Boolean] false where a job without partition went into the main list, as stock Resque has it
      # @private
      def enqueue(payload, partition)
        weight = partition && FairShare.configuration.weight_of(name, partition)
        pending = @native.enqueue(@connection, payload, partition, weight, cap)
        note(!pending.nil?)
        !pending.nil?
      end

      # Takes the next job in a fair turn.
      # @param ticket_given [Boolean] the caller has popped a ticket from the main list
      # @return [Lease, nil, :plain] `:plain` where the queue has no fair-share state, so that stock's pop is right
      # @private
      def reserve(ticket_given: false)
        MOST_ADOPTIONS.times do
          status, *rest = @native.reserve(@connection, ProcessIdentity.owner, ticket_given, cap, charge)
          note(status != :plain)
          case status
          when :plain then return :plain
          when :adopt then adopt(*rest)
          when :nothing then return unless rest.first && reconcile_quietly.positive?
          when :job
            lease = lease_from(*rest)
            return lease if lease
          end
        end
        nil
      end

      # @return [Boolean] whether the lease was still there
      # @private
      def release(lease_id)
        !@native.release(@connection, lease_id, cap, charge).nil?
      end

      # @private The next reserve of this process gets that job.
      def give_back(lease_id)
        @native.give_back(lease_id)
      end

      # Frees the slots of owners that are gone, and puts their jobs that never started back. Safe at any time.
      # @return [Integer] slots freed
      def reconcile
        Reconciliation.new(@native, @connection, cap, charge).perform
      end

      # @private Reconciliation is a by-product of a reserve and must not cost its job.
      def reconcile_quietly
        reconcile
      rescue StandardError => e
        FairShare.logger.error("resque-fair-share: could not reconcile queue #{name}: #{e.class}: #{e.message}")
        0
      end

      # Whether jobs without partition belong into the lane, and a pop goes by the script. Asks Redis when the last
      # answer is too old; a queue is taken as plain until then.
      # @private
      def fair?
        note(@native.fair?(@connection)) if now > @trusted_until
        @fair
      end

      # @private Looks now.
      def look
        note(@native.fair?(@connection))
      end

      private

      def note(fair)
        @trusted_until = now + (fair ? FAIR_FOR : PLAIN_FOR)
        @fair = fair
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      def cap
        FairShare.configuration.max_in_flight_of(name)
      end

      def charge
        FairShare.configuration.charge_of(name)
      end

      def lease_from(reconcile, id, payload, *)
        lease = Lease.new(self, id, payload)
        reconcile_quietly if reconcile
        return lease if Native.payload?(payload)

        lease.fail(MalformedPayload.new("queue #{name} held #{payload.inspect[0, 200]}, which is no job"))
        nil
      end

      # Routes what others pushed into the main list.
      def adopt(elements)
        return if elements.empty?

        routes = elements.map { |element| element == TICKET ? nil : route(element) }
        @native.adopt(@connection, elements, routes, cap)
      end

      def route(payload)
        klass = Resolver.fair_class(Native.job_class(payload))
        return [nil, nil] unless klass

        partition = Resolver.partition(klass, payload)
        [partition, FairShare.configuration.weight_of(name, partition)]
      rescue ArgumentError => e
        # It is queued already, so there is nobody to refuse it to: it runs, without a partition.
        FairShare.logger.warn("resque-fair-share: a job in queue #{name} goes without partition: #{e.message}")
        [nil, nil]
      end
    end
  end
end
