# frozen_string_literal: true

require 'json'
require_relative 'cells'

module Bench
  # All results, for people, for programs and for the README.
  class Report
    NOTES = 'Medians over the rounds; ratios are medians of the ratios of a round, with the least and the most. ' \
            '0.1.0 is resque-fair-share 0.1.0, for chains resque-job-chain 0.1.0.'

    # @param results [Hash{String => Array<Result>}] by row
    # @param machine [Machine]
    def initialize(results, machine)
      @results = results
      @machine = machine
    end

    # @return [String] columns as wide as need be
    def to_s
      rows = [Cells::HEADERS, *lines]
      widths = rows.transpose.map { |column| column.map(&:size).max }
      table = rows.map do |row|
        row.zip(widths).each_with_index.map { |(text, width), n| n < 2 ? text.ljust(width) : text.rjust(width) }
           .join('  ').rstrip
      end
      [*@machine.warning, *table, '', @machine, NOTES, summary].join("\n")
    end

    # @return [String]
    def to_json(*)
      JSON.pretty_generate(machine: @machine.to_h, warning: @machine.warning,
                           rows: @results.transform_values { |list| list.map(&:to_h) })
    end

    # @return [String]
    def to_markdown
      head = [Cells::HEADERS, %w[--- ---] + (['---:'] * 5) + ['---']]
      table = (head + lines).map { |row| "| #{row.join(' | ')} |" }.join("\n")
      [*@machine.warning, table, @machine, NOTES].join("\n\n")
    end

    private

    def lines
      @results.values.flatten.map { |result| Cells.new(result).to_a }
    end

    def summary
      verdicts = @results.values.flatten.flat_map(&:verdicts)
      "Goals met: #{verdicts.count(&:met)} of #{verdicts.size}."
    end
  end
end
