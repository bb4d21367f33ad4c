# frozen_string_literal: true

require_relative 'jobs'
require_relative 'program'
require_relative 'report'
require_relative 'run'

module Demo
  # The same load on a plain queue and on a fair one, one after the other, and the report.
  class Fairness < Program
    private

    def perform
      tenants = @settings.cast
      Resque::FairShare.configure { |config| config.weight = ->(tenant) { tenants.weight_of(tenant) } }
      introduce("The whale: #{count(:jobs)} jobs. Small tenants: #{count(:tenants)}, with #{count(:small_jobs)} jobs " \
                "each. Workers: #{@settings.workers}.",
                'First they share a plain Resque queue, then a fair one.')
      finish(run('plain', PlainJob, tenants), run('fair', FairJob, tenants))
    end

    def count(setting)
      Support::Text.number(@settings[setting])
    end

    def run(title, job_class, tenants)
      bar = bar(title.ljust(5), tenants.total)
      Run.new(title, job_class, session: @session, settings: @settings, bar: bar).perform
    end

    def finish(*runs)
      puts '', Report.new(runs), '', measured_with('job'), ''
      keep_records if @settings.keep
      faults = runs.flat_map(&:faults)
      return fail_with("FAILED: not every job ran exactly once.\n#{faults.join("\n")}", 1) if faults.any?

      puts "All #{Support::Text.number(runs.sum { |run| run.tenants.total })} jobs ran exactly once."
      0
    end

    def keep_records
      keep("A job's id, tenant, and its times of enqueue, start and end, in seconds:",
           *%w[plain fair].map { |queue| Record.list(queue) })
    end
  end
end
