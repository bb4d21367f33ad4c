# frozen_string_literal: true

require_relative '../program'
require_relative 'evidence'
require_relative 'run'

module Demo
  module Chains
    # Chains that all complete, though two crashes hit them, and the report.
    class Program < Demo::Program
      private

      def perform
        # Resque and the chains would warn of the crashes, which the demo reports itself.
        Resque.logger.level = Logger::ERROR unless ENV['LOGGING'] || ENV['VVERBOSE']
        introduce("#{number(@settings.chains)} chains of #{Order::STEPS.size} steps: fetch, charge, ship and receipt " \
                  "at once, close. Workers: #{@settings.workers}.",
                  'Two crashes hit them: a kill -9 of a child, and one of a worker with its child.')
        finish(Run.new(@session, @settings, bar('steps', steps)).perform)
      end

      def finish(result)
        evidence = Evidence.new(result.statuses, result.journal, result.crashes)
        puts '', summary(result, evidence), '', crashes(result), '', measured_with('step'), ''
        keep_events if @settings.keep
        faults = evidence.faults
        return fail_with("FAILED: not every chain went its way.\n#{faults.join("\n")}", 1) if faults.any?

        puts "All #{number(@settings.chains)} chains are complete: each step ended exactly once, and none started",
             "before its predecessor had ended (#{number(evidence.handovers)} starts compared, by times they noted)."
        0
      end

      def summary(result, evidence)
        rows = [['chains completed', number(evidence.count('completed')), "of #{number(@settings.chains)}"],
                ['chains failed', number(evidence.count('failed'))],
                ['steps performed', number(evidence.performed), "of #{number(steps)}"],
                ['attempts repeated', number(evidence.repeated.size), 'because of the crashes'],
                ['wall time', seconds(result.seconds)],
                ['median chain time', seconds(result.times.median), 'from start! to the end of its last step']]
        table(rows, right: [1])
      end

      def crashes(result)
        rows = result.crashes.select(&:hit).map do |crash|
          pause = result.journal.pause_after(crash)
          again = pause ? "queued again, and started #{seconds(pause)} later" : 'not started again'
          ["kill -9 of #{crash.victim}", "hit #{crash.place}:", again]
        end
        table(rows, right: [])
      end

      def table(rows, right:)
        Support::Text.table(rows, right: right, style: Support::Text::NO_BORDER)
      end

      def keep_events
        keep('Start or end, chain, step from 0, process, its worker, and the time in seconds:', Event::LIST)
      end

      def steps
        @settings.chains * Order::STEPS.size
      end

      def number(value)
        Support::Text.number(value)
      end

      def seconds(value)
        Support::Text.seconds(value)
      end
    end
  end
end
