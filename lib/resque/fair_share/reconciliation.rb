# frozen_string_literal: true

require 'time'

module Resque
  module FairShare
    # Looks through a queue's leases for owners that are gone. An owner on this host is gone when its process is; a
    # worker elsewhere when its heartbeat is older than Resque.prune_interval, by the server's clock. A lease that was
    # taken by hand elsewhere is left to its host.
    class Reconciliation
      def initialize(queue, native, connection, cap, charge)
        @queue = queue
        @native = native
        @connection = connection
        @cap = cap
        @charge = charge
      end

      # @return [Integer] leases ended
      def perform
        ended = 0
        each_lease do |id, _partition, _started, owner_text|
          owner = ProcessIdentity.parse(owner_text)
          next unless gone?(owner)

          ended += 1 if recover(id, worker_id(owner))
        end
        @native.mend(@connection, @cap)
        ended
      end

      private

      def recover(id, worker)
        status, partition, pending, in_flight = @native.recover(@connection, id, worker, @cap, @charge)
        return false if status == :gone

        counts = status == :requeued ? { pending: pending, in_flight: in_flight } : { in_flight: in_flight }
        Gauges.emit(@queue, partition, **counts)
        true
      end

      def each_lease(&block)
        cursor = 0
        loop do
          cursor, page = @native.leases(@connection, cursor)
          page.each(&block)
          break if cursor.zero?
        end
      end

      def gone?(owner)
        return !ProcessIdentity.running?(owner) if owner.host == ProcessIdentity.hostname

        id = worker_id(owner)
        heartbeat = heartbeats[id]
        return expired?(heartbeat) if heartbeat

        # Without heartbeat: a worker that has unregistered is gone; one that never beats, or no worker at all, can't be
        # told.
        id == owner.worker && id.start_with?(owner.worker_prefix) && !workers.include?(id)
      end

      # A worker may have registered after the lease was taken in its process.
      def worker_id(owner)
        return owner.worker if owner.worker.start_with?(owner.worker_prefix)

        workers.find { |id| id.start_with?(owner.worker_prefix) } || owner.worker
      end

      def expired?(heartbeat)
        server_time - Time.parse(heartbeat) > Resque.prune_interval
      end

      def workers
        @workers ||= Resque.data_store.worker_ids
      end

      def heartbeats
        @heartbeats ||= Resque.data_store.all_heartbeats
      end

      def server_time
        @server_time ||= Resque.data_store.server_time
      end
    end
  end
end
