# frozen_string_literal: true

require 'etc'

module Support
  # The machine that a program runs on, and the versions it runs with.
  class Machine
    # Load average for each core above which measurements are not reliable.
    BUSY = 0.5

    # @return [Float, nil] load average of the last minute, when this was made
    attr_reader :load

    # @param redis_version [String]
    def initialize(redis_version)
      @redis_version = redis_version
      @load = File.read('/proc/loadavg').to_f if File.readable?('/proc/loadavg')
    end

    # @return [Hash]
    def to_h
      { cpu: cpu, cores: cores, ruby: RUBY_VERSION, resque: Resque::VERSION, redis: @redis_version, load_average: load }
    end

    # @return [Integer]
    def cores
      Etc.nprocessors
    end

    # @return [String]
    def cpu
      text = File.readable?('/proc/cpuinfo') ? File.read('/proc/cpuinfo') : ''
      text[/^model name\s*:\s*(.+)$/, 1] || RUBY_PLATFORM
    end

    # @return [String]
    def versions
      "Ruby #{RUBY_VERSION}, Resque #{Resque::VERSION}, Redis #{@redis_version}"
    end

    # @return [String, nil]
    def warning
      return unless load && load > BUSY * cores

      "The machine was busy with other work (load average #{load}): these numbers are not reliable."
    end
  end
end
