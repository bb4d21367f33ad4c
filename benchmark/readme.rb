# frozen_string_literal: true

require_relative 'error'

module Bench
  # The README's tables, between two markers.
  class Readme
    FILE = File.expand_path('../README.md', __dir__)
    OPENING = '<!-- benchmark -->'
    CLOSING = '<!-- /benchmark -->'

    def initialize(file = FILE)
      @file = file
    end

    # @param text [String] Markdown
    # @raise [Error] when the markers are not there
    def write(text)
      content = File.read(@file)
      before, rest = content.split(OPENING, 2)
      _, after = rest&.split(CLOSING, 2)
      raise Error, "#{@file} lacks #{OPENING} and #{CLOSING}" unless after

      File.write(@file, "#{before}#{OPENING}\n\n#{text}\n\n#{CLOSING}#{after}")
    end
  end
end
