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
      # Seconds. Whoever prunes may die of it.
      LONGEST_PRUNE = 10

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
        leases = abandoned.sort_by { |id, started, _| [started, id.size, id] }.reverse
        pruned = prune(leases.map(&:last).uniq)
        ended = leases.count do |id, _, owner|
          worker = worker_id(owner)
          # Another process prunes it now: the job ends before its lease does.
          next false if pruned[worker] == :elsewhere

          @queue.leases.recover(id, worker) || pruned[worker] == :here
        end
        @queue.upkeep.mend(pages)
        ended
      end

      private

      # Resque prunes dead workers when a worker starts. Until then a dead one's job would be in no failed list, and its
      # chain would not go on.
      # @return [Hash] of worker ids: pruned `:here`, or `:elsewhere` at this moment
      def prune(owners)
        dead = owners.select { |owner| prunable?(owner) }
        dead.to_h { |owner| [worker_id(owner), prune_once(owner)] }
      end

      def prunable?(owner)
        id = worker_id(owner)
        return false unless id.start_with?(owner.worker_prefix)
        # A worker that has got the same pid may have the same id, and a job of its own.
        return !ProcessIdentity.reused?(owner) if owner.host == ProcessIdentity.hostname

        heartbeats.key?(id)
      end

      # Many may look at once. A later one finds no record.
      def prune_once(owner)
        id = worker_id(owner)
        lock = "worker:#{id}:pruning"
        return :elsewhere unless Resque.redis.set(lock, ProcessIdentity.owner, nx: true, ex: LONGEST_PRUNE)

        begin
          worker = Resque::Worker.find(id, skip_exists: true)
          Guard.log(:warn, "resque-fair-share: worker #{id} is dead; its job ends as Resque's prune ends it")
          worker.unregister_worker(cause(owner, worker))
          :here
        ensure
          Resque.redis.del(lock)
        end
      rescue StandardError => e
        raise if Outage.passing?(e)

        # Its failure backend, say, or a hook: the slot is not kept for that.
        Guard.log(:error, "resque-fair-share: could not prune worker #{id}: #{e.class}: #{e.message}")
        :failed
      end

      # As Resque has it: none for a worker of this host.
      def cause(owner, worker)
        return if owner.host == ProcessIdentity.hostname

        job = worker.job['payload']
        Resque::PruneDeadWorkerDirtyExit.new(worker.to_s, job.is_a?(Hash) ? job['class'] : nil)
      end

      # @return [Array<Array(String, Integer, ProcessIdentity::Owner)>] lease id, start and owner of those that are gone
      def abandoned
        found = [] #: Array[[String, Integer, ProcessIdentity::Owner]]
        @queue.leases.each do |id, _partition, started, owner_text|
          owner = ProcessIdentity.parse(owner_text)
          found << [id, started, owner] if gone?(owner)
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
