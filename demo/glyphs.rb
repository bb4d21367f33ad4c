# frozen_string_literal: true

module Demo
  # What bars are made of, and numbers as people write them.
  module Glyphs
    UNICODE = { full: '█', light: '░' }.freeze
    ASCII = { full: '#', light: '-' }.freeze

    module_function

    # By what the locale can show.
    def characters
      Encoding.find('locale') == Encoding::UTF_8 ? UNICODE : ASCII
    end

    # @param ends [Array<Float>] where the full and the light part of the bar end, as fractions of its width
    # @return [String] filled up with spaces
    def bar(width, *ends)
      cells = ends.map { |fraction| (fraction * width).round.clamp(fraction.positive? ? 1 : 0, width) }
      full = cells.first
      light = [(cells[1] || full) - full, 0].max
      ((characters[:full] * full) + (characters[:light] * light)).ljust(width)
    end

    # @return [String] 12345 as 12,345
    def number(value)
      value.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ',')
    end

    # @return [String] with a precision that suits its size
    def seconds(value)
      return '-' unless value

      format(value < 1 ? '%.2f s' : '%.1f s', value)
    end
  end
end
