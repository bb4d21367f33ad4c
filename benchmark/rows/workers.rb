# frozen_string_literal: true

require_relative '../row'

module Bench
  module Rows
    # Workers that fork for each job. All workers share the contenders' core where there is one.
    class RealWorkers < Row
      row 'workers'
      JOBS = 400

      def call
        by_cpu = {}
        by_clock = {}
        numbers = settings.full ? 1..4 : [1, 4]
        numbers.each { |workers| by_cpu[workers], by_clock[workers] = drain(workers) }
        all = Row::ALL.to_h { |name| [name, by_cpu.values.flat_map { |series| series[name] }] }
        [Result.new('workers', "real workers, #{numbers.to_a.join(', ')} of them", 'jobs/CPU s', all)] +
          lines(by_cpu, 'CPU s') + lines(by_clock, 's')
      end

      private

      def drain(workers)
        jobs = settings.scaled(JOBS, 5) * workers
        measured = arena.rounds(settings.few(3), ALL) do |one|
          one.call(:load, count: jobs, tenants: 100)
          one.call(:drain, workers: workers)
        end
        [measured.transform_values { |all| all.map { |one| jobs / one.all_cpu } },
         measured.transform_values { |all| all.map { |one| jobs / one.seconds } }]
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
