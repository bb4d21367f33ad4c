# frozen_string_literal: true

require 'time'

module Resque
  module FairShare
    # Ends a queue's leases whose owner is gone. An owner on this host is gone when its process is; a worker elsewhere
    # when its heartbeat is older than Resque.prune_interval, by the server's clock. A lease that was taken by hand
    # elsewhere is left to its host.
    # @private
    class Reconciliation
      # Pages of a thousand partitions that a worker looks at beside a reserve.
      PAGES_A_LOOK = 10

      # Beside a reserve, which must not lose its job by this, nor take much longer.
      # @param queue [Queue]
      # @return [Integer] leases ended
      def self.quietly(queue)
        new(queue).perform(PAGES_A_LOOK)
      rescue StandardError => e
        Guard.log(:error, "resque-fair-share: could not reconcile queue #{queue.name}: #{Guard.describe(e)}")
        0
      end

      # @param queue [Queue]
      def initialize(queue)
        @queue = queue
      end

      # @param pages [Integer] of partitions, to look at
      # @return [Integer] leases ended
      def perform(pages)
        # Requeue newest first: each job goes to the head, so the oldest ends up first. Ids from one process increase.
        ended = abandoned.sort_by { |id, started, _| [started, id.size, id] }.reverse.count do |id, _, worker|
          @queue.leases.recover(id, worker)
        end
        @queue.upkeep.mend(pages)
        ended
      end

      private

      # @return [Array<Array(String, Integer, String)>] lease id, start and worker of those whose owner is gone
      def abandoned
        found = [] #: Array[[String, Integer, String]]
        @queue.leases.each do |id, _partition, started, owner_text|
          owner = ProcessIdentity.parse(owner_text)
          found << [id, started, worker_id(owner)] if gone?(owner)
        end
        found.uniq
      end

      def gone?(owner)
        return !ProcessIdentity.running?(owner) if owner.host == ProcessIdentity.hostname

        id = worker_id(owner)
        heartbeat = heartbeats[id]
        return expired?(heartbeat) if heartbeat

        # Without heartbeat a worker that has unregistered is gone. For a worker that never beats, or an owner that is
        # no worker, nobody can tell.
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
