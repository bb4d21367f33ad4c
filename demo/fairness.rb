# frozen_string_literal: true

require_relative 'comparison'
require_relative 'jobs'
require_relative 'program'
require_relative 'report'
require_relative 'run'

module Demo
  # The same load on a plain queue and on a fair one, one after the other, and the report.
  class Fairness < Program
    # @param settings [Options::Settings]
    def initialize(settings)
      super
      @tenants = settings.cast
      @progress = Progress.new
    end

    private

    def perform
      Resque::FairShare.configure { |config| config.weight = ->(tenant) { @tenants.weight_of(tenant) } }
      introduce
      finish(run('plain', PlainJob), run('fair', FairJob))
    end

    def introduce
      jobs, small_jobs, tenants = @settings.to_h.values_at(:jobs, :small_jobs, :tenants).map { |n| Glyphs.number(n) }
      puts "The whale: #{jobs} jobs. Small tenants: #{tenants}, with #{small_jobs} jobs each. " \
           "Workers: #{@settings.workers}.",
           'First they share a plain Resque queue, then a fair one.',
           "Redis: #{@session.address}, keys #{@session.namespace}:*", ''
    end

    def run(title, job_class)
      Run.new(title, job_class, session: @session, settings: @settings, progress: @progress).perform
    end

    def finish(*runs)
      puts '', Report.new(Comparison.new(*runs, @tenants), @settings, @session.redis_version), ''
      keep_records if @settings.keep
      faults = Faults.new(runs)
      return fail_with("FAILED: not every job ran exactly once.\n#{faults.to_a.join("\n")}", 1) unless faults.none?

      puts "All #{Glyphs.number(@tenants.total * runs.size)} jobs ran exactly once."
      0
    end

    def keep_records
      keep("A job's id, tenant, and its times of enqueue, start and end, in seconds:",
           *%w[plain fair].map { |queue| Record.list(queue) })
    end
  end
end
