# frozen_string_literal: true

module Resque
  module Plugins
    # Extend a job class with it to make it a step of chains.
    #
    # @example
    #   class ChargePayment
    #     extend Resque::Plugins::JobChain
    #     @queue = :payments
    #
    #     def self.perform(params)
    #       Resque::JobChain.update_context(params['_chain_id'], reference: charge(params['order_id']))
    #     end
    #   end
    module JobChain
      include Resque::FairShare::HookNames

      # The hooks of resque-job-chain 0.1.0. While a worker performs a job its chain is told by the job itself; called
      # by hand they tell the chain of the step that the arguments name.
      def after_perform_job_chain(*args)
        return if Resque::JobChain::Execution.inside?

        chain_id, step_index = Resque::JobChain::Execution.from_args(args)
        Resque::JobChain::Executor.new(chain_id, step_index).after_step if chain_id && step_index
      end

      # @see #after_perform_job_chain
      def on_failure_job_chain(exception, *args)
        return if Resque::JobChain::Execution.inside?

        chain_id, step_index = Resque::JobChain::Execution.from_args(args)
        Resque::JobChain::Executor.new(chain_id, step_index).on_failure(exception) if chain_id && step_index
      end
    end
  end
end
