# frozen_string_literal: true

require 'optparse'

module Bench
  # The command line. Needs nothing but Ruby, so that bin/bench can check it before it sets anything up.
  module Options
    ROWS = %w[enqueue reserve skewed saturated whole plain_queue empty bulk memory trips redis_us scale workers chain
              chain_memory chain_list fairness].freeze

    # `jobs` is the size of a load.
    Settings = Struct.new(:only, :rounds, :jobs, :full, :json, :write, keyword_init: true) do
      # @return [Integer] how many of something that there are `normally` of with a load of 10,000 jobs
      def scaled(normally, least = 20)
        [normally * jobs / 10_000, least].max
      end

      # @return [Integer] rounds of a row that takes long
      def few(most)
        [rounds, most].min
      end
    end

    NUMBERS = { rounds: 1..1000, jobs: 100..10_000_000 }.freeze

    class << self
      # @param arguments [Array<String>]
      # @return [Settings]; exits with 2 for an argument that can't be right
      def parse(arguments)
        settings = Settings.new(only: ROWS, rounds: 7, jobs: 10_000, full: false, json: false, write: false)
        rest = parser(settings).parse(arguments)
        raise OptionParser::InvalidArgument, rest.first if rest.any?
        raise ArgumentError, '--write needs all rows; leave out --only' if settings.write && settings.only != ROWS

        settings
      rescue OptionParser::ParseError, ArgumentError => e
        warn "bin/bench: #{e.message}\n(bin/bench --help tells what there is)"
        exit 2
      end

      private

      def parser(settings)
        OptionParser.new do |parser|
          parser.require_exact = true
          NUMBERS.each { |name, range| number(parser, settings, name, range) }
          parser.on('--only LIST', Array) { |names| settings.only = rows(names) }
          %i[full json write].each { |name| parser.on("--#{name}") { settings[name] = true } }
          parser.on('-h', '--help') do
            puts File.read(File.expand_path('help.txt', __dir__))
            exit
          end
        end
      end

      def number(parser, settings, name, range)
        parser.on("--#{name} N", OptionParser::DecimalInteger) do |value|
          unless range.cover?(value)
            raise ArgumentError, "--#{name} is #{value}; it must be from #{range.min} to #{range.max}"
          end

          settings[name] = value
        end
      end

      def rows(names)
        raise ArgumentError, "--only names no row; there are #{ROWS.join(', ')}" if names.empty?

        unknown = names - ROWS
        raise ArgumentError, "there is no row #{unknown.first}; there are #{ROWS.join(', ')}" if unknown.any?

        ROWS & names
      end
    end
  end
end
