# frozen_string_literal: true

require_relative '../bin/support/text'
require_relative 'result'

module Bench
  # A result as the cells of a table's row.
  class Cells
    HEADERS = ['what', 'unit', 'ours', 'plain', '0.1.0', 'ours ÷ plain', 'ours ÷ 0.1.0', 'goal'].freeze

    # @param result [Result]
    def initialize(result)
      @result = result
    end

    # @return [Array<String>]
    def to_a
      [@result.label, @result.unit, *%i[ours plain old].map { |name| value(name) }, ratio(:plain), ratio(:old), goals]
    end

    # @param number [Float, nil]
    # @return [String] with three significant digits
    def self.number(number)
      return '–' if number.nil?
      return Support::Text.number(number.round) if number.abs >= 100

      format('%.*f', number.abs >= 10 ? 1 : 2, number)
    end

    private

    def value(name)
      Cells.number(@result.series[name]&.median)
    end

    # The median, with the least and the most of a round.
    def ratio(other)
      series = @result.ratio(other)
      return '–' unless series&.median

      middle, least, most = [series.median, series.min, series.max].map { |number| format('%.2f', number) }
      least == most ? middle : "#{middle} (#{least}–#{most})"
    end

    def goals
      @result.verdicts.map { |verdict| "#{verdict.goal}: #{verdict.met ? 'met' : 'NOT MET'}" }.join('; ')
    end
  end
end
