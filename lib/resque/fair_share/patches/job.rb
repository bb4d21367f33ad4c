# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # A job knows its lease, and ends it where no worker does.
      #
      # Its methods stand in the place of Resque's own, see {Patches.replace}.
      module Job
        EARLIER_WORKER = Patches.own(Resque::Job, :worker=)
        EARLIER_PERFORM = Patches.own(Resque::Job, :perform)
        EARLIER_FAIL = Patches.own(Resque::Job, :fail)

        # @return [Lease, nil] set by a reserve
        attr_accessor :fair_share_lease

        # A plugin that pops by itself has made a job that knows its lease by the payload only.
        def worker=(worker)
          EARLIER_WORKER.bind_call(self, worker)
          lease = Lease.of(self) if worker
          Lease.started(worker, lease) if worker && lease && !lease.inherited?
        end

        # By hand (`Resque.reserve('q').perform`) the job ends here; else the worker says when.
        def perform
          EARLIER_PERFORM.bind_call(self)
        ensure
          Lease.of(self)&.release if worker.nil?
        end

        # Comes for the job of a dead worker, too, from the one that prunes it. In a worker's child the parent releases.
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
