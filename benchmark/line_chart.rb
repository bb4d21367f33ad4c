# frozen_string_literal: true

require_relative '../bin/support/text'
require_relative 'bar_chart'
require_relative 'cells'
require_relative 'svg'

module Bench
  # A line for each contender over the number of tenants, whose axis is logarithmic: each step is ten times as many. A
  # contender's line ends at the largest size at which it was measured.
  class LineChart
    WIDTH = 720
    HEIGHT = 320
    LEFT = 60
    RIGHT = 610
    TOP = 36
    BOTTOM = 280
    GRID = '#7773'

    # @param results [Array<Result>] those that say for how many tenants they are, in their details, are drawn
    def initialize(results)
      @results = results.select { |result| result.details[:tenants] }.sort_by { |result| tenants(result) }
      @most = @results.flat_map { |result| result.series.values.map(&:median) }.max
    end

    # @return [String] SVG
    def to_s
      svg = Svg.new(WIDTH, HEIGHT)
      svg.text(4, 18, "reserve and release, #{@results.first.unit}, by number of tenants")
      grid(svg)
      sizes(svg)
      lines.each { |name, points| line(svg, name, points) }
      svg.to_s
    end

    private

    def tenants(result)
      result.details[:tenants]
    end

    def grid(svg)
      step = (@most / 4).round(-Math.log10(@most / 4).floor) # rounded to one digit
      0.step(@most * 1.05, step) do |value|
        svg.line([[LEFT, height(value)], [RIGHT, height(value)]], GRID, 1)
        svg.text(LEFT - 8, height(value) + 4, Cells.number(value.to_f), anchor: 'end')
      end
    end

    def sizes(svg)
      @results.each do |result|
        svg.text(place(result), BOTTOM + 20, Support::Text.number(tenants(result)), anchor: 'middle')
      end
    end

    # @return [Hash{Symbol => Array}] the points of each contender
    def lines
      BarChart::NAMES.keys.to_h do |name|
        points = @results.filter_map { |one| [place(one), height(one.series[name].median)] if one.series[name] }
        [name, points]
      end
    end

    def line(svg, name, points)
      return if points.empty?

      color = BarChart::COLORS.fetch(name)
      svg.line(points, color, 2.5)
      points.each { |left, top| svg.box(left - 3, top - 3, 6, 6, color) }
      svg.text(points.last[0] + 10, points.last[1] + 4, BarChart::NAMES.fetch(name))
    end

    def place(result)
      from, to = [@results.first, @results.last].map { |one| Math.log10(tenants(one)) }
      LEFT + 20 + ((Math.log10(tenants(result)) - from) / [to - from, 1e-9].max * (RIGHT - LEFT - 40))
    end

    def height(value)
      BOTTOM - (value / @most * (BOTTOM - TOP))
    end
  end
end
