# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # A job knows its lease, and ends it where no worker does.
      #
      # A plugin that wraps a method with alias_method after we have prepended ours gets ours as "the original", and
      # calling it would go round for ever. So a patch that is entered again runs what was there before us.
      module Job
        EARLIER_PERFORM = Resque::Job.instance_method(:perform)
        EARLIER_FAIL = Resque::Job.instance_method(:fail)

        # @return [Lease, nil] set by a reserve
        attr_accessor :fair_share_lease

        def worker=(worker)
          super
          Lease.started(worker, fair_share_lease) if worker && fair_share_lease&.own?
        end

        # By hand (`Resque.reserve('q').perform`) the job ends here; else the worker says when.
        def perform
          return EARLIER_PERFORM.bind_call(self) if @fair_share_performing

          begin
            @fair_share_performing = true
            super
          ensure
            @fair_share_performing = false
            Lease.of(self)&.release if worker.nil?
          end
        end

        # Comes for the job of a dead worker, too, from the one that prunes it. In a worker's child the parent releases.
        def fail(exception)
          return EARLIER_FAIL.bind_call(self, exception) if @fair_share_failing

          begin
            @fair_share_failing = true
            super
          ensure
            @fair_share_failing = false
            lease = Lease.of(self)
            lease.release if lease && !lease.inherited?
          end
        end
      end
    end
  end
end

Resque::Job.prepend(Resque::FairShare::Patches::Job)
