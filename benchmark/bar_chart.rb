# frozen_string_literal: true

require_relative 'cells'
require_relative 'svg'

module Bench
  # A group of bars for each result, a bar for each contender. A whisker goes from the least to the most of a round.
  class BarChart
    COLORS = { ours: '#2a9d8f', plain: '#8d99ae', old: '#e76f51' }.freeze
    NAMES = { ours: 'ours', plain: 'plain Resque', old: '0.1.0' }.freeze
    WIDTH = 720
    LEFT = 114
    BAR = 18
    STEP = BAR + 4
    GAP = 26

    # @param results [Array<Result>] those in the unit of the first are drawn
    def initialize(results)
      @results = results.select { |result| result.unit == results.first.unit }
      most = @results.flat_map { |result| result.series.values.map(&:max) }.max
      @scale = (WIDTH - LEFT - 90) / (most.positive? ? most : 1)
    end

    # @return [String] SVG
    def to_s
      svg = Svg.new(WIDTH, @results.sum { |result| height(result) } + 10)
      @results.inject(0) do |top, result|
        group(svg, result, top)
        top + height(result)
      end
      svg.to_s
    end

    private

    def height(result)
      GAP + (result.series.size * STEP) + 8
    end

    def group(svg, result, top)
      svg.text(4, top + 18, "#{result.label}, #{result.unit}")
      result.series.slice(*COLORS.keys).each_with_index do |(name, series), index|
        place = top + GAP + (index * STEP)
        svg.text(LEFT - 8, place + 13, NAMES.fetch(name), anchor: 'end')
        bar(svg, series, COLORS.fetch(name), place)
      end
    end

    def bar(svg, series, color, top)
      least, middle, most = series.to_h.values_at(:min, :median, :max).map { |number| LEFT + (number * @scale) }
      svg.box(LEFT, top, middle - LEFT, BAR, color)
      svg.line([[least, top + 9], [most, top + 9]], '#555', 1.5) if most > least
      svg.text(most + 6, top + 13, Cells.number(series.median))
    end
  end
end
