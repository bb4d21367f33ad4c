# frozen_string_literal: true

require_relative '../bin/support/command_line'

module Bench
  # The command line.
  module Options
    HELP = File.expand_path('help.txt', __dir__)
    ROWS = %w[enqueue reserve skewed saturated whole plain_queue empty bulk memory trips redis_us scale workers chain
              chain_memory chain_list fairness].freeze
    NUMBERS = { rounds: 1..1000, jobs: 100..10_000_000 }.freeze
    DEFAULTS = { only: ROWS, rounds: 7, jobs: 10_000, full: false, json: false, write: false,
                 charts: false }.freeze

    # `jobs` is the size of a load.
    Settings = Struct.new(*DEFAULTS.keys, keyword_init: true) do
      # @return [Integer] a number that is `normally` with a load of 10,000 jobs
      def scaled(normally, least = 20)
        [normally * jobs / 10_000, least].max
      end

      # @return [Integer] rounds of a row that takes long
      def few(most)
        [rounds, most].min
      end

      def validate
        raise ArgumentError, '--write needs all rows; leave out --only' if write && only != ROWS
      end
    end

    class << self
      # @param arguments [Array<String>]
      # @return [Settings]; exits with 2 for an argument that cannot be right
      def parse(arguments)
        settings = Settings.new(**DEFAULTS)
        Support::CommandLine.read(HELP, arguments, settings) do |line|
          line.numbers(NUMBERS)
          line.flags(:full, :json, :write, :charts)
          line.parser.on('--only LIST', Array) { |names| settings.only = rows(names) }
        end
      end

      private

      def rows(names)
        raise ArgumentError, "--only names no row; there are #{ROWS.join(', ')}" if names.empty?

        unknown = names - ROWS
        raise ArgumentError, "there is no row #{unknown.first}; there are #{ROWS.join(', ')}" if unknown.any?

        ROWS & names
      end
    end
  end
end
