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

        # @return [Boolean] chains answer it
        def step_of_chain?
          false
        end

        # A job that a plugin has popped knows its lease only by the payload.
        def worker=(worker)
          EARLIER_WORKER.bind_call(self, worker)
          lease = Lease.of(self) if worker
          Lease.started(worker, lease) if worker && lease && !lease.inherited?
        end

        # Without a worker (`Resque.reserve('q').perform`) the job ends here; else the worker says when.
        def perform
          pid = Native.pid
          Job.in_one_process(pid, worker) { EARLIER_PERFORM.bind_call(self) }
        ensure
          Lease.of(self)&.release if worker.nil? && pid == Native.pid
        end

        # A worker that prunes a dead one calls this, too, for the dead one's job. For a worker's child its parent
        # releases. The lease ends when the failure is noted.
        def fail(exception)
          loose_end = LooseEnd.of(self)
          return fail_by_resque(exception) unless loose_end

          loose_end.settle(self) unless LooseEnd.child?
        end

        # @raise [Redis::BaseError] when patience ends
        def fail_by_resque(exception)
          Job.waiting(self) { EARLIER_FAIL.bind_call(self, exception) }
          Job.end_lease(self)
        rescue StandardError => e
          Outage.passing?(e) ? Job.not_noted(self, exception) : Job.end_lease(self)
          raise
        end

        class << self
          # A process that a job forks ends as one, not as a worker: the job is its parent's to end.
          def in_one_process(pid, worker)
            result = yield
            leave if worker && pid != Native.pid
            result
          rescue Exception => e # rubocop:disable Lint/RescueException -- a SystemExit is how a process ends
            leave(e) if worker && pid != Native.pid
            raise
          end

          def waiting(job, &)
            job.worker ? Outage.wait_out("the failure of #{job.inspect[0, 200]}", &) : yield
          end

          def not_noted(job, exception)
            LooseEnd.note(job, :failed, exception) if job.worker
          end

          def end_lease(job)
            lease = Lease.of(job)
            lease.release if lease && !lease.inherited?
          end

          private

          def leave(error = nil)
            exit!(error.status) if error.is_a?(SystemExit)
            exit!(0) unless error

            Guard.log(:error, "resque-fair-share: a process that a job forked ends by #{error.class}: " \
                              "#{error.message}")
            exit!(1)
          end
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque::Job, Resque::FairShare::Patches::Job)
