# frozen_string_literal: true

require_relative '../bin/support/command_line'
require_relative 'chains/options'
require_relative 'tenants'

module Demo
  # The command line.
  module Options
    HELP = File.expand_path('help.txt', __dir__)

    Settings = Struct.new(:tenants, :jobs, :small_jobs, :workers, :job_ms, :weights, :keep, keyword_init: true) do
      # @return [Tenants]
      def cast
        Tenants.new(small: tenants, whale_jobs: jobs, small_jobs: small_jobs, weights: weights)
      end

      # @raise [ArgumentError] for a weight of a tenant that does not exist
      alias_method :validate, :cast

      # @return [Program]
      def program
        require_relative 'fairness'
        Fairness.new(self)
      end
    end

    DEFAULTS = { tenants: 20, jobs: 2000, small_jobs: 20, workers: 4, job_ms: 5, weights: {}, keep: false }.freeze
    NUMBERS = { tenants: 1..10_000, jobs: 1..1_000_000, small_jobs: 1..1_000_000, workers: 1..200,
                job_ms: 0..3_600_000 }.freeze

    class << self
      # @param arguments [Array<String>]
      # @return [Settings, Chains::Options::Settings]; exits with 2 for an argument that cannot be right
      def parse(arguments)
        return Chains::Options.parse(arguments) if Chains::Options.meant?(arguments)

        settings = Settings.new(**DEFAULTS)
        Support::CommandLine.read(HELP, arguments, settings) do |line|
          line.flags(:keep)
          line.numbers(NUMBERS)
          line.parser.on('--weights LIST') { |list| settings.weights = weights(list) }
        end
      end

      private

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
