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

          running_step.perform { EARLIER_PERFORM.bind_call(self) }
        end

        def fail(exception)
          running_step = RunningStep.of(self)
          return EARLIER_FAIL.bind_call(self, exception) unless running_step

          begin
            RunningStep.with(running_step) { EARLIER_FAIL.bind_call(self, exception) }
          ensure
            running_step.failed(exception)
          end
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque::Job, Resque::JobChain::Patches::Job)
