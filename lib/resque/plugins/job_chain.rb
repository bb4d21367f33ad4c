# frozen_string_literal: true

module Resque
  # Modules for job classes to extend.
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
      include Resque::FairShare::HookLookup

      # Tells the chain that a step was performed, as in resque-job-chain 0.1.0. Without effect while a worker performs
      # the job, whose end the patched Resque::Job tells the chain.
      # @param args [Array] the job's arguments, which name the chain and the step
      # @return [String, nil] see {Resque::JobChain::StepEnd#after_step}
      def after_perform_job_chain(*args)
        return if Resque::JobChain::RunningStep.inside?

        chain_id, step_index = Resque::JobChain::RunningStep.from_args(args)
        Resque::JobChain::StepEnd.new(chain_id, step_index).after_step if chain_id && step_index
      end

      # Tells the chain that a step failed, as in resque-job-chain 0.1.0. Without effect while a worker performs the
      # job.
      # @param exception [Exception]
      # @param args [Array] the job's arguments, which name the chain and the step
      # @return [String, nil] see {Resque::JobChain::StepEnd#on_failure}
      def on_failure_job_chain(exception, *args)
        return if Resque::JobChain::RunningStep.inside?

        chain_id, step_index = Resque::JobChain::RunningStep.from_args(args)
        Resque::JobChain::StepEnd.new(chain_id, step_index).on_failure(exception) if chain_id && step_index
      end
    end
  end
end
