# frozen_string_literal: true

require 'json'
require_relative 'cells'
require_relative 'limits'

module Bench
  # All results, for people, for programs and for the README.
  class Report
    NOTES = 'Medians over the rounds; ratios are medians of the ratios of a round, with the least and the most. ' \
            '0.1.0 is resque-fair-share 0.1.0, for chains resque-job-chain 0.1.0.'

    REASONS = 'What is not met, and why (the numbers are those of the machine where the reason was looked for):'
    TOPICS = {
      'speed' => %w[enqueue reserve skewed saturated whole bulk empty plain_queue],
      'workers' => %w[workers trips],
      'Redis' => %w[redis_us memory],
      'scale' => %w[scale],
      'fairness' => %w[fairness],
      'chains' => %w[chain chain_memory chain_list]
    }.freeze

    # @param results [Hash{String => Array<Result>}] by row
    # @param machine [Machine]
    def initialize(results, machine)
      @results = results
      @machine = machine
    end

    # @return [String] columns as wide as need be
    def to_s
      table = aligned([Cells::HEADERS, *lines])
      [*@machine.warning, *table, '', @machine, NOTES, summary, *limits.map { |line| "Not met: #{line}" }].join("\n")
    end

    # @return [String]
    def to_json(*)
      JSON.pretty_generate(machine: @machine.to_h, warning: @machine.warning,
                           rows: @results.transform_values { |list| list.map(&:to_h) })
    end

    # A table a topic.
    # @return [String]
    def to_markdown
      tables = TOPICS.filter_map { |topic, rows| markdown_table(topic, @results.slice(*rows).values.flatten) }
      [*@machine.warning, @machine, "#{NOTES} #{summary}", *tables, *not_met].join("\n\n")
    end

    private

    def aligned(rows)
      widths = rows.transpose.map { |column| column.map(&:size).max }
      rows.map do |row|
        row.zip(widths).each_with_index.map { |(text, width), n| n < 2 ? text.ljust(width) : text.rjust(width) }
           .join('  ').rstrip
      end
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
      Limits.of(@results.values.flatten)
    end

    def lines
      @results.values.flatten.map { |result| Cells.new(result).to_a }
    end

    def summary
      verdicts = @results.values.flatten.flat_map(&:verdicts)
      "Goals met: #{verdicts.count(&:met)} of #{verdicts.size}."
    end
  end
end
