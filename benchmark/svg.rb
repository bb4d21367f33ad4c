# frozen_string_literal: true

require 'cgi'

module Bench
  # Draws text, boxes and lines, in colors that are readable on light and dark backgrounds.
  class Svg
    FONT = { 'font-family': 'sans-serif', 'font-size': 13, fill: '#777' }.freeze

    def initialize(width, height)
      @size = { width: width, height: height, viewBox: "0 0 #{width} #{height}" }
      @parts = []
    end

    def text(left, top, text, anchor: 'start')
      @parts << element('text', CGI.escapeHTML(text), x: left, y: top, 'text-anchor': anchor, **FONT)
    end

    def box(left, top, width, height, color)
      @parts << element('rect', x: left, y: top, width: width, height: height, fill: color)
    end

    # @param points [Array<Array(Float, Float)>]
    def line(points, color, width = 2)
      places = points.map { |point| point.map { |number| number.round(1) }.join(',') }.join(' ')
      @parts << element('polyline', points: places, fill: 'none', stroke: color, 'stroke-width': width)
    end

    def to_s
      element('svg', "\n#{@parts.join("\n")}\n", xmlns: 'http://www.w3.org/2000/svg', **@size, role: 'img').concat("\n")
    end

    private

    def element(name, content = '', **attributes)
      list = attributes.map { |key, value| " #{key}=\"#{value.is_a?(Float) ? value.round(1) : value}\"" }.join
      "<#{name}#{list}>#{content}</#{name}>"
    end
  end
end
