# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # Gives a job its lease, and ends the lease where no worker does. Redefines Resque's methods, see
      # {Patches.replace}.
      # @private
      module Job
        EARLIER_WORKER = Patches.own(Resque::Job, :worker=)
        EARLIER_PERFORM = Patches.own(Resque::Job, :perform)
        EARLIER_FAIL = Patches.own(Resque::Job, :fail)

        # @return [Lease, nil] set by a reserve
        attr_accessor :fair_share_lease

        # A job that a plugin has popped knows its lease only by the payload.
        def worker=(worker)
          EARLIER_WORKER.bind_call(self, worker)
          lease = Lease.of(self) if worker
          Lease.started(worker, lease) if worker && lease && !lease.inherited?
        end

        # Without a worker (`Resque.reserve('q').perform`) the job ends here; else the worker says when.
        def perform
          EARLIER_PERFORM.bind_call(self)
        ensure
          Lease.of(self)&.release if worker.nil?
        end

        # A worker that prunes a dead one calls this, too, for the dead one's job. For a worker's child its parent
        # releases.
        def fail(exception)
          EARLIER_FAIL.bind_call(self, exception)
        ensure
          lease = Lease.of(self)
          lease.release if lease && !lease.inherited?
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque::Job, Resque::FairShare::Patches::Job)
