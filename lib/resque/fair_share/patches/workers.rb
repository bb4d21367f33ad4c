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
            worker.queues.each do |name|
              queue = Queue.of(@redis, name)
              queue.reconcile_quietly if queue.look
            end
          end
        end

        # The lease ends before the record goes: killed in between, the job counts as started, and is not run again.
        def worker_done_working(worker, &block)
          Lease.ended(worker)&.release
          super
        end
      end
    end
  end
end

Resque::DataStore::Workers.prepend(Resque::FairShare::Patches::Workers)
