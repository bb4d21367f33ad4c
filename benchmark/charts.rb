# frozen_string_literal: true

require 'fileutils'
require_relative 'bar_chart'
require_relative 'line_chart'

module Bench
  # Pictures of some rows, a file each.
  class Charts
    FOLDER = File.expand_path('results', __dir__)
    KINDS = { 'enqueue' => BarChart, 'reserve' => BarChart, 'memory' => BarChart, 'scale' => LineChart }.freeze

    # @param results [Hash{String => Array<Result>}] by row
    def initialize(results)
      @results = results.slice(*KINDS.keys)
    end

    # @return [Array<String>] the names of the rows that were drawn
    def write(folder = FOLDER)
      FileUtils.mkdir_p(folder)
      @results.each { |row, list| File.write(File.join(folder, "#{row}.svg"), KINDS.fetch(row).new(list).to_s) }.keys
    end
  end
end
