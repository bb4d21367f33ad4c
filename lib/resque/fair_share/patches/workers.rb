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
            fair_queues(worker.queues).each do |queue|
              queue.seen_fair
              queue.reconcile_quietly
            end
          end
        end

        # The lease ends before the record goes: killed in between, the job counts as started, and is not run again.
        def worker_done_working(worker, &)
          Lease.ended(worker)&.release
          super
        end

        private

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
