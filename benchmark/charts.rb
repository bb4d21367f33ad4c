# frozen_string_literal: true

require 'fileutils'
require_relative 'cells'
require_relative 'svg'

module Bench
  # Bars of some rows, a file each. A whisker goes from the least to the most of a round.
  class Charts
    FOLDER = File.expand_path('results', __dir__)
    ROWS = %w[enqueue reserve memory scale].freeze
    COLORS = { ours: '#2a9d8f', plain: '#8d99ae', old: '#e76f51' }.freeze
    NAMES = { ours: 'ours', plain: 'plain Resque', old: '0.1.0' }.freeze
    WIDTH = 720
    MARGIN = 4
    LEFT = 114
    BAR = 18
    GAP = 26

    # @param results [Hash{String => Array<Result>}] by row
    def initialize(results)
      @results = results.slice(*ROWS)
    end

    # @return [Array<String>] the names of the rows that have a chart now
    def write
      FileUtils.mkdir_p(FOLDER)
      @results.each { |row, list| File.write(File.join(FOLDER, "#{row}.svg"), draw(same_unit(list))) }.keys
    end

    private

    # Bars of different units can't be compared.
    def same_unit(list)
      list.select { |result| result.unit == list.first.unit }
    end

    def draw(list)
      most = list.flat_map { |result| result.series.values.map(&:max) }.max
      scale = (WIDTH - LEFT - 90) / (most.positive? ? most : 1)
      svg = Svg.new(WIDTH, list.sum { |result| height(result) } + 10)
      list.inject(0) do |top, result|
        group(svg, result, top, scale)
        top + height(result)
      end
      svg.to_s
    end

    def height(result)
      GAP + (result.series.size * (BAR + 4)) + 8
    end

    def group(svg, result, top, scale)
      svg.text(MARGIN, top + 18, "#{result.label}, #{result.unit}")
      result.series.slice(*COLORS.keys).each_with_index do |(name, series), index|
        place = top + GAP + (index * (BAR + 4))
        svg.text(LEFT - 8, place + 13, NAMES.fetch(name), anchor: 'end')
        bar(svg, series, COLORS.fetch(name), place, scale)
      end
    end

    def bar(svg, series, color, top, scale)
      least, middle, most = series.to_h.values_at(:min, :median, :max).map { |number| LEFT + (number * scale) }
      svg.box(LEFT, top, middle - LEFT, BAR, color)
      svg.line([least, top + 9], [most, top + 9], '#555', 1.5) if most > least
      svg.text(most + 6, top + 13, Cells.number(series.median))
    end
  end
end
