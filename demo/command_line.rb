# frozen_string_literal: true

require 'optparse'

module Demo
  # What the command lines of both demos have in common. Needs nothing but Ruby, so that bin/demo can check its options
  # before it sets anything up.
  class CommandLine
    HELP = File.expand_path('help.txt', __dir__)

    # @param settings [Struct] with the defaults, and `keep`
    # @yieldparam line [CommandLine] to be told which options there are
    # @return [Struct] the same; exits with 2 for an argument that can't be right
    def self.read(arguments, settings)
      line = new(settings)
      yield line
      line.read(arguments)
      settings.validate
      settings
    rescue OptionParser::ParseError, ArgumentError => e
      warn "bin/demo: #{e.message}\n(bin/demo --help tells what there is)"
      exit 2
    end

    # @return [OptionParser] for options of other kinds than {#number}
    attr_reader :parser

    def initialize(settings)
      @settings = settings
      @parser = OptionParser.new
      # bin/demo itself looks for --keep and --help.
      @parser.require_exact = true
      @parser.on('--keep') { settings.keep = true }
      @parser.on('-h', '--help') do
        puts File.read(HELP)
        exit
      end
    end

    # @param name [Symbol] the setting
    # @param argument [String] `[N]` where the number may be left out
    def number(name, range, argument: 'N')
      option = "--#{name.to_s.tr('_', '-')}"
      @parser.on("#{option} #{argument}", OptionParser::DecimalInteger) do |value|
        next if value.nil?
        unless range.cover?(value)
          raise ArgumentError, "#{option} is #{value}; it must be from #{range.min} to #{range.max}"
        end

        @settings[name] = value
      end
    end

    def read(arguments)
      rest = @parser.parse(arguments)
      raise OptionParser::InvalidArgument, rest.first if rest.any?
    end
  end
end
