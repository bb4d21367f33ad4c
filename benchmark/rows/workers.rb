# frozen_string_literal: true

require_relative '../row'

module Bench
  module Rows
    # Workers that fork for each job. Where processes are pinned, all workers share the contenders' core.
    class RealWorkers < Row
      row 'workers'
      # Jobs of each worker. Workers live long, and the cost of a job changes during the first hundreds.
      JOBS = 200
      JOBS_OF_FULL = 400
      QUEUES = 20

      def call
        several_workers << twenty_queues
      end

      private

      def several_workers
        by_cpu = {}
        by_clock = {}
        numbers = settings.full ? 1..4 : [1, 4]
        numbers.each { |workers| by_cpu[workers], by_clock[workers] = drain(workers) }
        all = Row::ALL.to_h { |name| [name, by_cpu.values.flat_map { |series| series[name] }] }
        [Result.new('workers', "real workers, #{numbers.to_a.join(', ')} of them", 'jobs/CPU s', all)] +
          lines(by_cpu, 'CPU s') + lines(by_clock, 's')
      end

      # Only the last of its queues has jobs.
      def twenty_queues
        by_cpu, = drain(1, QUEUES)
        Result.new('workers 20 queues', "1 real worker on #{QUEUES} queues", 'jobs/CPU s', by_cpu)
      end

      def drain(workers, queues = 1)
        jobs = settings.scaled(settings.full ? JOBS_OF_FULL : JOBS, 5) * workers
        measured = arena.rounds(settings.few(settings.full ? 5 : 3), ALL) do |one|
          one.call(:load, count: jobs, tenants: 100)
          one.call(:drain, workers: workers, queues: queues)
        end
        %i[all_cpu seconds].map { |cost| rates(measured, jobs, cost) }
      end

      def rates(measured, jobs, cost)
        measured.transform_values { |all| all.map { |one| jobs / one.public_send(cost) } }
      end

      def lines(by_workers, unit)
        by_workers.map do |workers, series|
          Result.new("workers #{workers} per #{unit}", "#{workers} real worker#{'s' if workers > 1}", "jobs/#{unit}",
                     series)
        end
      end
    end
  end
end
