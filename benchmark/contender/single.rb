# frozen_string_literal: true

module Bench
  module Contending
    # Operations of one process that does not fork.
    module Single
      QUEUE = 'default'

      # @return [Array<String>] names of queues that nothing is put into
      def self.empty_queues(number)
        Array.new(number) { |n| "empty_#{n}" }
      end

      # Code is slow the first time it runs.
      def warm_up
        whole(count: 100, tenants: 10)
      end

      def reserve(count:)
        Stopwatch.time { count.times { Resque::Job.reserve(QUEUE) or raise 'no job' } }
      end

      # A reserve that finds no job.
      def empty(count:)
        Stopwatch.time { count.times { Resque::Job.reserve(QUEUE) and raise 'a job, though all are capped' } }
      end

      # A worker polls many queues that are all empty.
      def poll(count:, queues:)
        with_worker(*Single.empty_queues(queues)) do |worker|
          Stopwatch.time { count.times { worker.reserve and raise 'a job' } }
        end
      end

      # Each job by hand: reserve, perform, release.
      def turn(count:, queue:)
        Stopwatch.time do
          count.times do
            job = Resque::Job.reserve(queue) or raise 'no job'
            job.perform
          end
        end
      end

      # Everything that happens to a job, except the fork.
      def whole(count:, tenants:)
        with_worker(QUEUE) do |worker|
          Stopwatch.time do
            count.times { |n| Resque.enqueue(SyncJob, account_id: n % tenants, record_ids: Loads::RECORDS) }
            count.times { worker.work_one_job or raise 'no job' }
          end
        end
      end

      private

      def with_worker(*queues)
        worker = Resque::Worker.new(*queues)
        worker.fork_per_job = false
        worker.register_worker
        yield worker
      ensure
        worker&.unregister_worker
      end
    end
  end
end
