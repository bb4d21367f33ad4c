# frozen_string_literal: true

require_relative '../program'
require_relative 'evidence'
require_relative 'progress'
require_relative 'report'
require_relative 'run'

module Demo
  module Chains
    # Chains that all get to their end, though two crashes hit them.
    class Program < Demo::Program
      private

      def perform
        quiet
        introduce
        finish(Run.new(@session, @settings, Progress.new(@settings.chains)).perform)
      end

      # The crashes, which Resque and the chains would warn of, are reported by the demo.
      def quiet
        Resque.logger.level = Logger::ERROR unless ENV['LOGGING'] || ENV['VVERBOSE']
      end

      def introduce
        puts "#{chains} chains of #{Order::STEPS.size} steps: fetch, charge, ship and receipt at once, close. " \
             "Workers: #{@settings.workers}.",
             'Two crashes hit them: a kill -9 of a child, and one of a worker with its child.',
             "Redis: #{@session.address}, keys #{@session.namespace}:*", ''
      end

      def finish(result)
        evidence = Evidence.new(result.statuses, result.journal, result.crashes)
        puts '', Report.new(result, evidence, @settings, @session.redis_version), ''
        keep_events if @settings.keep
        faults = evidence.faults
        return fail_with("FAILED: not every chain went its way.\n#{faults.join("\n")}", 1) if faults.any?

        puts "All #{chains} chains are complete: each step ended exactly once, and none started before its",
             "predecessor had ended (#{Glyphs.number(evidence.handovers)} starts compared, by times the steps noted)."
        0
      end

      def chains
        Glyphs.number(@settings.chains)
      end

      def keep_events
        keep('Start or end, chain, step from 0, process, its worker, and the time in seconds:', Event::LIST)
      end
    end
  end
end
