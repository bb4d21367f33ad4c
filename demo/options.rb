# frozen_string_literal: true

require 'optparse'
require_relative 'tenants'

module Demo
  # The command line. Needs nothing but Ruby, so that bin/demo can check it before it sets anything up.
  module Options
    Settings = Struct.new(:tenants, :jobs, :small_jobs, :workers, :job_ms, :weights, :keep, keyword_init: true) do
      # @return [Tenants]
      def cast
        Tenants.new(small: tenants, whale_jobs: jobs, small_jobs: small_jobs, weights: weights)
      end
    end

    DEFAULTS = { tenants: 20, jobs: 2000, small_jobs: 20, workers: 4, job_ms: 20, weights: {}, keep: false }.freeze
    NUMBERS = { tenants: 1..10_000, jobs: 1..1_000_000, small_jobs: 1..1_000_000, workers: 1..200,
                job_ms: 0..3_600_000 }.freeze
    HELP = File.expand_path('help.txt', __dir__)

    class << self
      # @param arguments [Array<String>]
      # @return [Settings]; exits with 2 for an argument that can't be right
      def parse(arguments)
        settings = Settings.new(**DEFAULTS)
        rest = parser(settings).parse(arguments)
        raise OptionParser::InvalidArgument, rest.first if rest.any?

        settings.cast
        settings
      rescue OptionParser::ParseError, ArgumentError => e
        warn "bin/demo: #{e.message}\n(bin/demo --help tells what there is)"
        exit 2
      end

      private

      def parser(settings)
        OptionParser.new do |parser|
          # bin/demo itself looks for --keep and --help.
          parser.require_exact = true
          NUMBERS.each { |name, range| number(parser, settings, name, range) }
          parser.on('--weights LIST') { |list| settings.weights = weights(list) }
          parser.on('--keep') { settings.keep = true }
          parser.on('-h', '--help') do
            puts File.read(HELP)
            exit
          end
        end
      end

      def number(parser, settings, name, range)
        option = "--#{name.to_s.tr('_', '-')}"
        parser.on("#{option} N", OptionParser::DecimalInteger) do |value|
          unless range.cover?(value)
            raise ArgumentError, "#{option} is #{value}; it must be from #{range.min} to #{range.max}"
          end

          settings[name] = value
        end
      end

      def weights(list)
        list.split(',').to_h do |entry|
          name, value = entry.split('=', 2)
          weight = Float(value, exception: false) if value
          unless weight&.positive? && weight.finite?
            raise ArgumentError, "--weights has #{entry.inspect}; an entry is a tenant and a number above 0: a=3"
          end

          [name, weight]
        end
      end
    end
  end
end
