# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # The worker's own life: it has no hook that runs however a job ended, but it always reports that it is done.
      module Workers
        # Comes after the dead workers were pruned, so what is found now is not Resque's to fail.
        def register_worker(worker)
          super.tap do
            ProcessIdentity.worker = worker.id
            WarmUp.call if worker.fork_per_job?
            fair_queues(worker.queues).each do |queue|
              queue.seen_fair
              queue.reconcile_quietly
            end
          end
        end

        # Resque calls it for workers that it prunes, too.
        def unregister_worker(worker)
          super.tap { ProcessIdentity.forget_worker(worker.id) }
        end

        STOCK = Stock.new(Resque::DataStore::Workers, self, 'resque/data_store.rb',
                          %i[set_worker_payload get_worker_payload worker_done_working])
        # A thread's note of the record that it has just written: where, the worker's id and the record.
        WRITTEN = :resque_fair_share_record
        private_constant :STOCK, :WRITTEN

        # Stands for the pipeline in which Resque counts a worker's jobs, and notes what is written into it.
        class Notes < BasicObject
          def initialize
            @calls = []
          end

          def method_missing(name, *arguments) # rubocop:disable Style/MissingRespondToMissing
            @calls << [name, arguments]
            nil
          end

          # @return [Array<Array(String, Integer)>, nil] key and growth of each counter; nil: it is not counters only
          def __counters__
            @calls.map { |_, arguments| arguments } if @calls.all? { |name, _| name == :incrby }
          end

          def __replay__(pipe)
            @calls.each { |name, arguments| pipe.public_send(name, *arguments) }
          end
        end

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

        # Resque asks what a worker works on as soon as it has written that (Worker#state_change): no round trip for it.
        def get_worker_payload(worker_id)
          written = Thread.current[WRITTEN]
          return super unless written

          Thread.current[WRITTEN] = nil
          store, id, data = written
          store.equal?(self) && id == worker_id.to_s ? data : super
        end

        # Resque's own round trip, and the release in it. Where it can't ride along, the lease ends before the record
        # goes: killed in between, the job counts as started, and is not run again.
        def worker_done_working(worker)
          Thread.current[WRITTEN] = nil
          lease = Lease.ended(worker)
          unless STOCK.below?(:worker_done_working)
            lease&.release
            return super
          end
          notes = Notes.new
          yield(redis: notes)
          done(lease, worker, notes)
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

        # One look by way of Resque's client: a worker of plain queues needs no connection of ours.
        def fair_queues(names)
          return [] if names.empty?

          states = @redis.pipelined { |pipe| names.each { |name| pipe.exists(*Native::FairQueue.state_keys(name)) } }
          names.zip(states).filter_map { |name, state| Queue.of(@redis, name) if state && state != 0 }
        end
      end
    end
  end
end

Resque::DataStore::Workers.prepend(Resque::FairShare::Patches::Workers)
