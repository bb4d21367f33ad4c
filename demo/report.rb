# frozen_string_literal: true

require 'etc'
require_relative 'chart'
require_relative 'comparison'
require_relative 'table'
require_relative 'verdict'

module Demo
  # All that is said when both runs are over.
  class Report
    # Ids that are named; the others are counted.
    NAMED = 5

    # @param comparison [Comparison]
    # @param settings [Options::Settings]
    def initialize(comparison, settings, redis_version)
      @comparison = comparison
      @settings = settings
      @redis_version = redis_version
    end

    def to_s
      [Table.new(@comparison).to_s, window, jain, Chart.new(@comparison).to_s, Verdict.new(@comparison).to_s,
       machine].join("\n\n")
    end

    # @return [Array<String>] what went wrong
    def faults
      @comparison.runs.flat_map do |run|
        [fault(run, 'lost', run.lost), fault(run, 'run more than once', run.repeated), errors(run)].compact
      end
    end

    # @return [String]
    def all_well
      "All #{Glyphs.number(@comparison.tenants.total * 2)} jobs ran exactly once."
    end

    private

    def window
      plain, fair = @comparison.runs.map { |run| Glyphs.seconds(@comparison.worker_time(run).window) }
      "* Part of the workers' time that a tenant got while every tenant had jobs waiting: from the last enqueue until\n  " \
        "the first tenant had none waiting (plain run: #{plain}; fair run: #{fair})."
    end

    def jain
      plain, fair = @comparison.runs.map do |run|
        index = @comparison.worker_time(run).jain
        index ? format('%.2f', index) : 'unknown (never did all have jobs waiting; more jobs help)'
      end
      "Jain's fairness index of that time#{' by weight' if @comparison.tenants.weights?}: plain #{plain}, fair #{fair}  " \
        "(1: equal; #{format('%.2f', 1.0 / @comparison.tenants.names.size)}: one tenant got everything)"
    end

    def machine
      "Measured here and now: #{@settings.workers} workers, #{@settings.job_ms} ms of work a job, " \
        "#{Etc.nprocessors} cores, Ruby #{RUBY_VERSION}, Resque #{Resque::VERSION}, Redis #{@redis_version}."
    end

    def fault(run, what, ids)
      return if ids.empty?

      more = " and #{ids.size - NAMED} more" if ids.size > NAMED
      "#{run.title} run: #{ids.size} #{ids.size == 1 ? 'job was' : 'jobs were'} #{what}: #{ids.first(NAMED).join(', ')}#{more}"
    end

    def errors(run)
      return if run.failures.empty?

      "#{run.title} run: in Resque's failed list: #{run.failures.tally.map { |text, times| "#{times} x #{text}" }.join('; ')}"
    end
  end
end
