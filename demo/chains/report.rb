# frozen_string_literal: true

require 'etc'
require_relative '../glyphs'
require_relative '../report'
require_relative 'order'

module Demo
  module Chains
    # All that is said when the chains are over.
    class Report
      # @param result [Run::Result]
      # @param evidence [Evidence]
      # @param settings [Options::Settings]
      # @param redis_version [String]
      def initialize(result, evidence, settings, redis_version)
        @result = result
        @evidence = evidence
        @settings = settings
        @redis_version = redis_version
      end

      def to_s
        [table, crashes, Demo::Report.folded(machine)].join("\n\n")
      end

      private

      def table
        width = rows.map { |_, value| value.size }.max
        rows.map { |label, value, rest| "  #{label.ljust(20)}#{value.rjust(width)}  #{rest}".rstrip }.join("\n")
      end

      def rows
        @rows ||= [
          ['chains completed', number(@evidence.count('completed')), "of #{number(@settings.chains)}"],
          ['chains failed', number(@evidence.count('failed'))],
          ['steps performed', number(@evidence.performed), "of #{number(@settings.chains * Order::STEPS.size)}"],
          ['attempts repeated', number(@evidence.repeated.size), 'because of the crashes'],
          ['wall time', Glyphs.seconds(@result.seconds)],
          ['median chain time', Glyphs.seconds(median), 'from start! to the end of its last step']
        ]
      end

      def crashes
        @result.crashes.select(&:hit).map do |crash|
          pause = @result.journal.pause_after(crash)
          again = pause ? "queued again, and started #{Glyphs.seconds(pause)} later" : 'not started again'
          "  kill -9 of #{crash.victim.ljust(23)} hit #{crash.place}: #{again}"
        end.join("\n")
      end

      # By nearest rank.
      def median
        times = @result.times
        times[(times.size - 1) / 2] if times.any?
      end

      def machine
        "Measured just now. Workers: #{@settings.workers}, which fork for each step. A step: #{@settings.job_ms} ms " \
          "of work. Cores: #{Etc.nprocessors}. " \
          "Ruby #{RUBY_VERSION}, Resque #{Resque::VERSION}, Redis #{@redis_version}."
      end

      def number(value)
        Glyphs.number(value)
      end
    end
  end
end
