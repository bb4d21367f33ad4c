# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # A worker's records. Resque has no hook that runs however a job ended, but a worker always reports that it is
      # done.
      # @private
      module Workers
        # Runs after Resque has pruned dead workers, so any orphan found now is ours to handle.
        def register_worker(worker)
          super.tap do
            ProcessIdentity.worker = worker.id
            WarmUp.call if worker.fork_per_job?
            fair_queues(worker.queues).each do |queue|
              queue.standing.seen_fair
              Reconciliation.quietly(queue)
            end
          end
        end

        # Resque calls it for workers that it prunes, too.
        def unregister_worker(worker)
          super.tap { ProcessIdentity.forget_worker(worker.id) }
        end

        STOCK = Stock.new(Resque::DataStore::Workers, self, 'resque/data_store.rb',
                          %i[set_worker_payload get_worker_payload worker_done_working])
        # A thread's note of the record that it has just written: the data store, the worker's id and the record.
        WRITTEN = :resque_fair_share_record
        private_constant :STOCK, :WRITTEN

        # Resque's own command, over the core's connection where one is open: that takes half the time.
        def set_worker_payload(worker, data)
          WarmUp.settle_memory
          Thread.current[WRITTEN] = nil
          id = worker.to_s
          connection, prefix = Connection.of(@redis)
          written = STOCK.below?(:set_worker_payload) && connection.workers(prefix).started(connection, id, data)
          return super unless written

          Thread.current[WRITTEN] = [self, id, data] if STOCK.below?(:get_worker_payload)
        end

        # Resque reads the record as soon as it has written it (Worker#state_change): that needs no round trip.
        def get_worker_payload(worker_id)
          written = Thread.current[WRITTEN]
          return super unless written

          Thread.current[WRITTEN] = nil
          store, id, data = written
          store.equal?(self) && id == worker_id.to_s ? data : super
        end

        # Releases the lease in the round trip that Resque makes anyway. Where that can't be, the lease ends before the
        # record is deleted: killed in between, the job counts as started, and is not run again.
        def worker_done_working(worker)
          Thread.current[WRITTEN] = nil
          Lease.ending(worker) do |lease|
            if STOCK.below?(:worker_done_working)
              notes = PipelineNotes.new
              yield(redis: notes)
              done(lease, worker, notes)
            else
              lease&.release
              super
            end
          end
        end

        private

        def done(lease, worker, notes)
          counters = notes.__counters__
          return if counters && done_by_core(lease, worker, counters)

          lease&.release
          @redis.pipelined do |pipe|
            pipe.del(redis_key_for_worker(worker))
            notes.__replay__(pipe)
          end
        end

        def done_by_core(lease, worker, counters)
          return lease.release_with(@redis, worker, counters) if lease

          connection, prefix = Connection.of(@redis)
          connection.workers(prefix).done(connection, worker.to_s, counters)
        end

        # One look through Resque's client: a worker of plain queues needs no connection of the core's.
        def fair_queues(names)
          names = names.select { |name| Check.text?(name) }
          return [] if names.empty?

          states = @redis.pipelined { |pipe| names.each { |name| pipe.exists(*Native::Queue.state_keys(name)) } }
          names.zip(states).filter_map { |name, state| Queue.of(@redis, name) if state && state != 0 }
        end
      end
    end
  end
end

Resque::DataStore::Workers.prepend(Resque::FairShare::Patches::Workers)
