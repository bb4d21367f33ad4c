# frozen_string_literal: true

module Resque
  module FairShare
    # Ends and lists the leases of a queue's running jobs.
    # @private
    class Leases < Part
      # @param queue [Queue]
      def initialize(queue)
        super
        @unanswered = []
      end

      # Frees the slot. The next reserve of this process repeats a release that was interrupted, or failed: the lease
      # would keep the slot as long as the process lives.
      # @param lease_id [String]
      # @return [Boolean] whether the lease was still there
      def release(lease_id)
        ended(lease_id) { @native.release(@connection, lease_id, cap, charge) }
      end

      # As {#release}, with what Resque writes when a worker is done with a job.
      # @param lease_id [String]
      # @param worker [String] id of the worker, whose record goes
      # @param counters [Array<Array(String, Integer)>] Resque's counters, and by how much each grows
      # @return [Boolean] whether the lease was still there
      def done(lease_id, worker, counters)
        ended(lease_id) { @native.done(@connection, lease_id, cap, charge, worker, counters) }
      end

      # Ends the lease of an owner that is gone.
      # @param lease_id [String]
      # @param worker [String] id of the worker whose record says whether the job had started
      # @return [Boolean] whether the lease was still there
      def recover(lease_id, worker)
        status, partition, pending, in_flight = @native.recover(@connection, lease_id, worker, cap, charge)
        return false if status == :gone

        pending = nil unless status == :requeued
        Gauges.emit(@name, partition, pending: pending, in_flight: in_flight)
        true
      end

      # Repeats the releases of this process that saw no reply.
      def release_unanswered
        return if @unanswered.empty?

        while (pid, lease_id = @unanswered.shift)
          release(lease_id) if pid == Native.pid
        end
      rescue ::Redis::CommandError => e
        Guard.log(:error, "resque-fair-share: could not release a lease of queue #{@name}: #{e.message}")
      end

      # @yieldparam lease [Array] id, partition, start in milliseconds, owner, payload
      def each(&block)
        each_page(->(cursor) { @native.leases(@connection, cursor) }) { |page| page.each(&block) }
      end

      # @return [Array<Queue::Running>] the longest running first
      def running(limit, offset)
        all = [] #: Array[Native::Queue::lease]
        each { |lease| all << lease }
        page = all.sort_by { |lease| [lease[2], lease[0]] }.slice(offset, limit).to_a
        page.map do |id, partition, started, owner, payload|
          worker = ProcessIdentity.parse(owner).worker
          Queue::Running.new(id, full(partition), worker, Time.at(started / 1000.0), decode(payload))
        end
      end

      private

      def ended(lease_id)
        answered = false
        partition, in_flight = yield
        answered = true
        Gauges.emit(@name, partition, in_flight: in_flight) if in_flight
        !in_flight.nil?
      ensure
        @unanswered << [Native.pid, lease_id] unless answered
      end

      # A lease has the id as it is in key names where that is shortened.
      def full(id)
        id && Native::Queue.shortened?(id) ? @queue.control.describe([id]).first&.id : id
      end
    end
  end
end
