# frozen_string_literal: true

require 'terminal-table'

module Support
  # Numbers, tables and paragraphs as a terminal shows them.
  module Text
    # Paragraphs have lines of up to 100 characters.
    LINE = /(.{1,100})(?: |\z)/
    NO_BORDER = { border_top: false, border_bottom: false, border_left: false, border_right: false,
                  border_y: '', border_i: '', padding_left: 0, padding_right: 2 }.freeze

    module_function

    # @return [String] 12345 as 12,345
    def number(value)
      value.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ',')
    end

    # @return [String] with a precision that suits the size
    def seconds(value)
      return '-' unless value

      format(value < 1 ? '%.2f s' : '%.1f s', value)
    end

    # @return [String]
    def paragraph(text)
      text.to_s.gsub(LINE, "\\1\n").chomp
    end

    # @param rows [Array<Array<String>, :separator>]
    # @param right [Array<Integer>, Range] the columns that are aligned to the right
    # @param options [Hash] `style` of Terminal::Table
    # @return [String]
    def table(rows, right:, headings: [], **options)
      headings = headings.map.with_index { |text, n| { value: text, alignment: right.include?(n) ? :right : :left } }
      table = Terminal::Table.new(rows: rows, headings: headings, **options)
      right.each { |column| table.align_column(column, :right) }
      table.to_s
    end
  end
end
