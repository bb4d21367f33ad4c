# frozen_string_literal: true

require 'rbconfig'

module Bench
  module Contending
    # Workers in processes of their own.
    module Workers
      # A worker that forks for each job. The time it takes to load is not counted.
      class Real
        PROGRAM = File.expand_path('worker.rb', __dir__)

        def initialize(queues)
          @process = IO.popen([RbConfig.ruby, PROGRAM, *queues], 'r+')
        end

        def wait_until_ready
          @process.gets or raise 'a worker has not started'
        end

        def go
          @process.puts
        end

        # @return [Stopwatch::Reading]
        def reading
          line = @process.gets or raise 'a worker has failed'
          Stopwatch::Reading.new(*JSON.parse(line).values_at('seconds', 'cpu'))
        ensure
          @process.close
        end
      end

      # The workers work until nothing waits. Only the last of their queues has jobs.
      # @return [Stopwatch::Reading] the slowest worker's time, the CPU time of all
      def drain(workers:, queues: 1)
        names = [*Single.empty_queues(queues - 1), Single::QUEUE]
        all = Array.new(workers) { Real.new(names) }
        all.each(&:wait_until_ready)
        all.each(&:go)
        readings = all.map(&:reading)
        Stopwatch::Reading.new(readings.map(&:seconds).max, readings.sum(&:cpu))
      end

      # Jobs that sleep, by workers that do not fork. `plan` has [tenant, jobs, ms], in the order of the enqueues.
      # @return [Stopwatch::Reading] whose result is the time of the last enqueue
      def fairness(plan:, workers:, weights: {})
        Resque::FairShare.configure { |config| config.weight = ->(id) { weights.fetch(id.to_sym, 1) } } if NAME == :ours
        plan.each { |tenant, jobs, ms| enqueue_sleeping(tenant, jobs, ms) }
        last = Stopwatch.now
        Stopwatch.time do
          work_on_sleeping(workers)
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

      def work_on_sleeping(number)
        pids = Array.new(number) { fork { work_until_empty('sleeping') } }
        failed = pids.map { |pid| Process.wait2(pid).last }.reject(&:success?)
        raise "a worker has failed: #{failed.first}" if failed.any?
      end

      def work_until_empty(queue)
        Resque.redis.reconnect
        worker = Resque::Worker.new(queue)
        worker.fork_per_job = false
        worker.work(0)
        exit!(0)
      rescue Exception => e # rubocop:disable Lint/RescueException
        warn "worker of #{NAME}: #{e.full_message}"
        exit!(1)
      end
    end
  end
end
