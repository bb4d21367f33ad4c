# frozen_string_literal: true

require 'json'
require_relative '../bin/support/text'
require_relative 'cells'
require_relative 'cores'
require_relative 'limits'

module Bench
  # All results as text, as JSON and as Markdown.
  class Report
    NOTES = 'Medians over the rounds; ratios are medians of the ratios of a round, with the least and the most. ' \
            '0.1.0 is resque-fair-share 0.1.0, for chains resque-job-chain 0.1.0.'

    REASONS = 'Goals that are not met, and why (the numbers are from the machine where the reason was found):'
    TOPICS = {
      'speed' => %w[enqueue reserve skewed saturated whole bulk empty plain_queue],
      'workers' => %w[workers trips],
      'Redis' => %w[redis_us memory],
      'scale' => %w[scale],
      'fairness' => %w[fairness],
      'chains' => %w[chain chain_memory chain_list]
    }.freeze

    # @param results [Hash{String => Array<Result>}] by row
    # @param machine [Support::Machine]
    def initialize(results, machine)
      @results = results
      @machine = machine
    end

    # @return [String]
    def to_s
      table = Support::Text.table(all.map { |result| Cells.new(result).to_a }, headings: Cells::HEADERS, right: 2..6)
      [*@machine.warning, table, '', machine, NOTES, summary, *limits.map { |line| "Not met: #{line}" }].join("\n")
    end

    # @return [String]
    def to_json(*)
      JSON.pretty_generate(machine: @machine.to_h.merge(pinned: Cores.pinned?), warning: @machine.warning,
                           rows: @results.transform_values { |list| list.map(&:to_h) })
    end

    # @return [String] a table for each topic
    def to_markdown
      tables = TOPICS.filter_map { |topic, rows| markdown_table(topic, @results.slice(*rows).values.flatten) }
      [*@machine.warning, machine, "#{NOTES} #{summary}", *tables, *not_met].join("\n\n")
    end

    private

    def all
      @results.values.flatten
    end

    def machine
      placed = Cores.pinned? ? 'Redis and the contenders on a core each' : 'no process was pinned to a core'
      "#{@machine.cpu}, #{@machine.cores} cores (#{placed}), #{@machine.versions}. " \
        "Load average at the start: #{@machine.load || 'not known'}."
    end

    def markdown_table(topic, results)
      return if results.empty?

      head = [[topic, *Cells::HEADERS.drop(1)], %w[--- ---] + (['---:'] * 5) + ['---']]
      (head + results.map { |result| Cells.new(result).to_a }).map { |row| "| #{row.join(' | ')} |" }.join("\n")
    end

    def not_met
      [REASONS, limits.map { |line| "- #{line}" }.join("\n")] if limits.any?
    end

    def limits
      Limits.of(all)
    end

    def summary
      verdicts = all.flat_map(&:verdicts)
      "Goals met: #{verdicts.count(&:met)} of #{verdicts.size}."
    end
  end
end
