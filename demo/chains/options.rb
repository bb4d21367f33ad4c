# frozen_string_literal: true

require_relative '../../bin/support/command_line'

module Demo
  module Chains
    # The command line of bin/demo --chains.
    module Options
      Settings = Struct.new(:chains, :workers, :job_ms, :keep, keyword_init: true) do
        # Any values go together.
        def validate; end

        # @return [Demo::Program]
        def program
          require_relative 'program'
          Program.new(self)
        end
      end

      DEFAULTS = { chains: 50, workers: 4, job_ms: 200, keep: false }.freeze
      # At least two workers, since one is killed; and a step must be long enough to be hit.
      NUMBERS = { workers: 2..200, job_ms: 50..3_600_000 }.freeze

      class << self
        # @param arguments [Array<String>]
        def meant?(arguments)
          arguments.any? { |argument| argument.match?(/\A--chains(=|\z)/) }
        end

        # @param arguments [Array<String>]
        # @return [Settings]; exits with 2 for an argument that cannot be right
        def parse(arguments)
          Support::CommandLine.read(Demo::Options::HELP, arguments, Settings.new(**DEFAULTS)) do |line|
            line.flags(:keep)
            line.numbers({ chains: 2..10_000 }, argument: '[N]')
            line.numbers(NUMBERS)
          end
        end
      end
    end
  end
end
