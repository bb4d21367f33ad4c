# frozen_string_literal: true

module Resque
  module JobChain
    module Patches
      # A job that is a step tells its chain how it ended. Hooks can't: they don't know whether the job was performed,
      # and none runs when its class can't be loaded.
      #
      # Its methods stand in the place of Resque's own, see {FairShare::Patches.replace}.
      module Job
        EARLIER_PERFORM = FairShare::Patches.own(Resque::Job, :perform)
        EARLIER_FAIL = FairShare::Patches.own(Resque::Job, :fail)

        # @return [Execution, nil]
        attr_accessor :job_chain_execution

        def perform
          execution = Execution.of(self)
          return EARLIER_PERFORM.bind_call(self) unless execution

          execution.perform { EARLIER_PERFORM.bind_call(self) }
        end

        def fail(exception)
          execution = Execution.of(self)
          return EARLIER_FAIL.bind_call(self, exception) unless execution

          begin
            Execution.with(execution) { EARLIER_FAIL.bind_call(self, exception) }
          ensure
            execution.failed(exception)
          end
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque::Job, Resque::JobChain::Patches::Job)
