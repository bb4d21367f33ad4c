# frozen_string_literal: true

module Bench
  module Contending
    # Real workers in processes of their own.
    module Workers
      # Resque's workers, which fork for each job, until nothing waits. Only the last of their queues has jobs.
      def drain(workers:, queues: 1)
        names = [*Single.empty_queues(queues - 1), Single::QUEUE]
        Stopwatch.time { start_workers(workers, names, fork_per_job: true) }
      end

      # Tenants' jobs that sleep, by workers that don't fork. `plan` has [tenant, jobs, ms], in their order.
      # @return [Stopwatch::Reading] the moment of the last enqueue
      def fairness(plan:, workers:, weights: {})
        Resque::FairShare.configure { |config| config.weight = ->(id) { weights.fetch(id.to_sym, 1) } } if NAME == :ours
        plan.each { |tenant, jobs, ms| enqueue_sleeping(tenant, jobs, ms) }
        last = Stopwatch.now
        Stopwatch.time do
          start_workers(workers, ['sleeping'], fork_per_job: false)
          last
        end
      ensure
        Resque::FairShare.configure { |config| config.weight = 1 } if NAME == :ours
      end

      private

      def enqueue_sleeping(tenant, jobs, milliseconds)
        jobs.times do |n|
          Resque.enqueue(SleepingJob, tenant: tenant, id: "#{tenant}-#{n}", ms: milliseconds, enqueued: Stopwatch.now)
        end
      end

      def start_workers(number, queues, fork_per_job:)
        pids = Array.new(number) { fork { work_until_empty(queues, fork_per_job) } }
        failed = pids.map { |pid| Process.wait2(pid).last }.reject(&:success?)
        raise "a worker has failed: #{failed.first}" if failed.any?
      end

      def work_until_empty(queues, fork_per_job)
        Resque.redis.reconnect
        worker = Resque::Worker.new(*queues)
        worker.fork_per_job = fork_per_job
        worker.work(0)
        exit!(0)
      rescue Exception => e # rubocop:disable Lint/RescueException
        warn "worker of #{NAME}: #{e.full_message}"
        exit!(1)
      end
    end
  end
end
