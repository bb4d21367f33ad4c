# frozen_string_literal: true

require 'etc'
require_relative 'chart'
require_relative 'comparison'
require_relative 'faults'
require_relative 'table'
require_relative 'verdict'

module Demo
  # All that is said when both runs are over.
  class Report
    # Text is folded to lines of 100 characters.
    LINE = /(.{1,100})(?: |\z)/

    # @return [String] the text in lines that are not too long
    def self.folded(text)
      text.to_s.gsub(LINE, "\\1\n").chomp
    end

    # @param comparison [Comparison]
    # @param settings [Options::Settings]
    # @param redis_version [String]
    def initialize(comparison, settings, redis_version)
      @comparison = comparison
      @settings = settings
      @redis_version = redis_version
    end

    def to_s
      [Table.new(@comparison), folded(window), folded(jain), Chart.new(@comparison), folded(Verdict.new(@comparison)),
       folded(machine)].join("\n\n")
    end

    private

    def window
      plain, fair = @comparison.runs.map { |run| Glyphs.seconds(@comparison.worker_time(run).window) }
      '* The part of the worker time that a tenant got while every tenant had jobs waiting: from the last enqueue ' \
        "until the first tenant had none waiting any more (#{plain} of the plain run, #{fair} of the fair run)."
    end

    def jain
      plain, fair = @comparison.runs.map do |run|
        index = @comparison.worker_time(run).jain
        index ? format('%.2f', index) : 'unknown (never did all have jobs waiting)'
      end
      by_weight = ' for its weight' if @comparison.tenants.weights?
      one_has_all = format('%.2f', 1.0 / @comparison.tenants.names.size)
      "Jain's fairness index of that time: plain #{plain}, fair #{fair}. It is 1 if each tenant got the " \
        "same#{by_weight}, #{one_has_all} if one got everything."
    end

    def machine
      "Measured just now. Workers: #{@settings.workers}, which fork for each job. A job: #{@settings.job_ms} ms of " \
        "work. Cores: #{Etc.nprocessors}. Ruby #{RUBY_VERSION}, Resque #{Resque::VERSION}, Redis #{@redis_version}."
    end

    def folded(text)
      Report.folded(text)
    end
  end
end
