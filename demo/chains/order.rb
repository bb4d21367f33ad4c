# frozen_string_literal: true

require_relative 'jobs'

module Demo
  module Chains
    # An order: a chain of five steps.
    module Order
      # In order; the steps of one group run at once.
      GROUPS = [[FetchOrder], [ChargePayment], [ShipOrder, SendReceipt], [CloseOrder]].freeze
      STEPS = GROUPS.flatten.freeze
      NAMES = %w[fetch charge ship receipt close].freeze
      # Workers take the last steps first, so that chains that have begun are finished.
      QUEUES = STEPS.map { |step| Resque.queue_from_class(step) }.uniq.reverse.freeze
      CUSTOMERS = 5

      module_function

      def id(number)
        "order-#{number}"
      end

      # @return [Array<Integer>] the steps that have to end before it starts
      def predecessors(step)
        group = GROUPS.index { |classes| classes.include?(STEPS[step]) }
        group.zero? ? [] : GROUPS[group - 1].map { |job_class| STEPS.index(job_class) }
      end

      # @param number [Integer]
      # @param job_ms [Integer]
      def start(number, job_ms)
        chain = Resque::JobChain.build(id(number)) do |builder|
          GROUPS.each do |classes|
            builder.parallel do |group|
              classes.each { |job_class| group.step(job_class, customer: number % CUSTOMERS) }
            end
          end
          builder.on_failure :retry
          builder.context ms: job_ms
        end
        chain.start!
      end
    end
  end
end
