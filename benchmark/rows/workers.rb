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
        numbers = settings.full ? [1, 2, 3, 4] : [1, 4]
        all = numbers.to_h { |workers| [workers, drain(workers)] }
        together = ALL.to_h { |name| [name, all.values.flat_map { |rates| rates['CPU s'][name] }] }
        [Result.new('workers', "real workers, #{numbers.join(', ')} of them", 'jobs/CPU s', together),
         *lines(all, 'CPU s'), *lines(all, 's'),
         Result.new('workers 20 queues', "1 real worker on #{QUEUES} queues", 'jobs/CPU s', drain(1, QUEUES)['CPU s'])]
      end

      private

      # Only the last of the queues has jobs.
      # @return [Hash{String => Hash}] jobs of each contender, by the unit they are divided by
      def drain(workers, queues = 1)
        jobs = settings.scaled(settings.full ? JOBS_OF_FULL : JOBS, 5) * workers
        measured = arena.rounds(settings.few(settings.full ? 5 : 3), ALL) do |one|
          one.call(:load, count: jobs, tenants: 100)
          one.call(:drain, workers: workers, queues: queues)
        end
        { 'CPU s' => :all_cpu, 's' => :seconds }.transform_values do |cost|
          measured.transform_values { |all| all.map { |one| jobs / one.public_send(cost) } }
        end
      end

      def lines(all, unit)
        all.map do |workers, rates|
          label = "#{workers} real worker#{'s' if workers > 1}"
          Result.new("workers #{workers} per #{unit}", label, "jobs/#{unit}", rates[unit])
        end
      end
    end
  end
end
