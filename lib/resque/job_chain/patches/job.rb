# frozen_string_literal: true

module Resque
  module JobChain
    # Changes to Resque for chains: one file for each patched class.
    # @private
    module Patches
      # A job that is a step tells its chain how it ended. Hooks can't: they don't know whether the job was performed,
      # and none runs when its class can't be loaded.
      #
      # Its methods replace Resque's own, see {FairShare::Patches.replace}.
      # @private
      module Job
        EARLIER_PERFORM = FairShare::Patches.own(Resque::Job, :perform)
        EARLIER_FAIL = FairShare::Patches.own(Resque::Job, :fail)

        # @return [RunningStep, nil]
        attr_accessor :job_chain_running_step

        def perform
          running_step = RunningStep.of(self)
          return EARLIER_PERFORM.bind_call(self) unless running_step

          begin
            running_step.perform { EARLIER_PERFORM.bind_call(self) }
          rescue Exception => e # rubocop:disable Lint/RescueException -- a worker that is told to end waits no longer
            kind = running_step.loose
            raise unless kind && worker

            FairShare::LooseEnd.note(self, kind, e)
            raise unless kind == :performed

            note_in_record
            true
          end
        end

        # @return [Boolean]
        def step_of_chain?
          !RunningStep.of(self).nil?
        end

        # The step was performed, and its chain was not told.
        def job_chain_goes_on
          RunningStep.of(self)&.go_on
        end

        def fail(exception)
          running_step = RunningStep.of(self)
          return EARLIER_FAIL.bind_call(self, exception) if running_step.nil? || FairShare::LooseEnd.of(self)

          begin
            RunningStep.with(running_step) { EARLIER_FAIL.bind_call(self, exception) }
          ensure
            running_step.failed(exception)
          end
        end

        private

        # Where Redis refuses the chain's script alone, or serves again: who prunes this worker advances the chain.
        def note_in_record
          worker = self.worker or return
          record = Resque.decode(Resque.data_store.get_worker_payload(worker.to_s))
          return unless record.is_a?(Hash) && record['payload'] == payload

          record['payload'] = payload.merge(FairShare::LooseEnd::PERFORMED => true)
          Resque.data_store.set_worker_payload(worker, Resque.encode(record))
        rescue StandardError => e
          Observable.report(:warn, "worker #{worker} could not note that its step was performed: #{e.message}")
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque::Job, Resque::JobChain::Patches::Job)
Resque::Job.define_method(:note_in_record, Resque::JobChain::Patches::Job.instance_method(:note_in_record))
Resque::Job.send(:private, :note_in_record)
