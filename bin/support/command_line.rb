# frozen_string_literal: true

require 'optparse'

module Support
  # Reads a program's options into a Struct. Needs nothing but Ruby, so that a wrong option is reported before the
  # set-up, not after it.
  class CommandLine
    # @param help [String] the file with the help text, which begins with `Usage: PROGRAM`
    # @param settings [Struct] with the defaults; it answers to `validate`, which raises ArgumentError
    # @yieldparam line [CommandLine] to declare the options
    # @return [Struct] the same; exits with 2 for an argument that cannot be right
    def self.read(help, arguments, settings)
      line = new(help, settings)
      yield line
      line.read(arguments)
      settings.validate
      settings
    rescue OptionParser::ParseError, ArgumentError => e
      program = File.read(help)[/\AUsage: (\S+)/, 1]
      warn "#{program}: #{e.message}\n(#{program} --help lists the options)"
      exit 2
    end

    # @return [OptionParser] for options that are neither a number nor a flag
    attr_reader :parser

    def initialize(help, settings)
      @settings = settings
      @parser = OptionParser.new
      @parser.require_exact = true # the scripts in bin/ look for --help themselves
      @parser.on('-h', '--help') do
        puts File.read(help)
        exit
      end
    end

    # @param names [Array<Symbol>] settings that an option without argument makes true
    def flags(*names)
      names.each { |name| @parser.on("--#{name}") { @settings[name] = true } }
    end

    # @param ranges [Hash{Symbol => Range}] by setting
    # @param argument [String] `[N]` where the number may be left out
    def numbers(ranges, argument: 'N')
      ranges.each do |name, range|
        option = "--#{name.to_s.tr('_', '-')}"
        @parser.on("#{option} #{argument}", OptionParser::DecimalInteger) do |value|
          @settings[name] = checked(option, value, range) if value
        end
      end
    end

    def read(arguments)
      rest = @parser.parse(arguments)
      raise OptionParser::InvalidArgument, rest.first if rest.any?
    end

    private

    def checked(option, value, range)
      return value if range.cover?(value)

      raise ArgumentError, "#{option} is #{value}; it must be from #{range.min} to #{range.max}"
    end
  end
end
