# frozen_string_literal: true

require 'cgi'

module Bench
  # Writes a picture: text, lines and boxes that can be read on light and dark ground.
  class Svg
    FONT = 'font-family="sans-serif" font-size="13" fill="#777"'

    def initialize(width, height)
      @width = width
      @height = height
      @parts = []
    end

    def text(left, top, text, anchor: 'start')
      @parts << "<text x=\"#{left.round(1)}\" y=\"#{top.round(1)}\" text-anchor=\"#{anchor}\" #{FONT}>" \
                "#{CGI.escapeHTML(text)}</text>"
    end

    def box(left, top, width, height, color)
      @parts << "<rect x=\"#{left.round(1)}\" y=\"#{top.round(1)}\" width=\"#{width.round(1)}\" " \
                "height=\"#{height.round(1)}\" fill=\"#{color}\"/>"
    end

    # A line between two points, or a whisker.
    def line(from, to, color, width = 2)
      points = [from, to].map { |point| point.map { |number| number.round(1) } }
      @parts << format('<line x1="%<a>s" y1="%<b>s" x2="%<c>s" y2="%<d>s" stroke="%<e>s" stroke-width="%<f>s"/>',
                       a: points[0][0], b: points[0][1], c: points[1][0], d: points[1][1], e: color, f: width)
    end

    def to_s
      size = "width=\"#{@width}\" height=\"#{@height}\" viewBox=\"0 0 #{@width} #{@height}\""
      "<svg xmlns=\"http://www.w3.org/2000/svg\" #{size} role=\"img\">\n#{@parts.join("\n")}\n</svg>\n"
    end
  end
end
