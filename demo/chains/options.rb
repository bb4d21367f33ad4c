# frozen_string_literal: true

require_relative '../command_line'

module Demo
  module Chains
    # The command line of bin/demo --chains.
    module Options
      Settings = Struct.new(:chains, :workers, :job_ms, :keep, keyword_init: true) do
        # Any of them goes with any other.
        def validate; end

        # @return [Demo::Program]
        def program
          require_relative 'program'
          Program.new(self)
        end
      end

      DEFAULTS = { chains: 50, workers: 4, job_ms: 200, keep: false }.freeze
      # Two workers, since one ends in the middle; and a step has to be long enough to be hit.
      NUMBERS = { workers: 2..200, job_ms: 50..3_600_000 }.freeze

      class << self
        # @param arguments [Array<String>]
        def meant?(arguments)
          arguments.any? { |argument| argument.match?(/\A--chains(=|\z)/) }
        end

        # @param arguments [Array<String>]
        # @return [Settings]; exits with 2 for an argument that can't be right
        def parse(arguments)
          CommandLine.read(arguments, Settings.new(**DEFAULTS)) do |line|
            line.number(:chains, 2..10_000, argument: '[N]')
            NUMBERS.each { |name, range| line.number(name, range) }
          end
        end
      end
    end
  end
end
