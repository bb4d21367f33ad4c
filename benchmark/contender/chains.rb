# frozen_string_literal: true

module Bench
  module Contending
    # Job chains, ours and those of 0.1.0.
    module Chains
      STEPS = 5

      # Notes how long the end of a step takes, after which the next step's job is in its queue.
      module Latency
        SECONDS = [] # rubocop:disable Style/MutableConstant

        def after_step(...)
          from = Stopwatch.now
          super
        ensure
          SECONDS << (Stopwatch.now - from)
        end
      end

      # Starts chains.
      def chains(count:, from: 0)
        Stopwatch.time { count.times { |n| chain("order-#{from + n}") } }
      end

      # One worker performs steps until none waits.
      # @return [Stopwatch::Reading] the steps, and how long the transitions took
      def transitions
        note_latency unless NAME == :plain
        Latency::SECONDS.clear
        reading = with_worker('steps') do |worker|
          Stopwatch.time do
            steps = 0
            steps += 1 while worker.work_one_job
            steps
          end
        end
        reading.result = { steps: reading.result, latencies: Latency::SECONDS.dup }
        reading
      end

      def chain_page(count:)
        Stopwatch.time { count.times { Resque::JobChain.chains(status: :running, limit: 50) } }
      end

      def chain_counts(count:)
        Stopwatch.time { count.times { Resque::JobChain.counts } }
      end

      private

      def chain(id)
        return Resque.enqueue(HandMadeStepJob, 'step' => 0, 'order_id' => id) if NAME == :plain

        Resque::JobChain.build(id) do |chain|
          STEPS.times { |n| chain.step(StepJob, order_id: n) }
          chain.context(requested_by: 'shop')
        end.start! or raise "there is a chain #{id} already"
      end

      def note_latency
        return if Resque::JobChain::Executor < Latency

        Resque::JobChain::Executor.prepend(Latency)
      end
    end
  end
end
