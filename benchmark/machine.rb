# frozen_string_literal: true

require 'etc'

module Bench
  # What it ran on.
  class Machine
    # Others that work as well make the numbers say less.
    BUSY = 0.5

    # @return [Float, nil] load average of the last minute, at the start
    attr_reader :load

    # @param redis_version [String]
    def initialize(redis_version)
      @redis_version = redis_version
      @load = File.read('/proc/loadavg').to_f if File.readable?('/proc/loadavg')
    end

    def to_h
      { cpu: cpu, cores: Etc.nprocessors, ruby: RUBY_VERSION, resque: Gem.loaded_specs['resque'].version.to_s,
        redis: @redis_version, load_average: load, pinned: pinned? }
    end

    def to_s
      placed = pinned? ? 'Redis and the contenders on a core each' : 'nothing was pinned to a core'
      "#{cpu}, #{Etc.nprocessors} cores (#{placed}), Ruby #{RUBY_VERSION}, Resque #{to_h[:resque]}, " \
        "Redis #{@redis_version}. Load average at the start: #{load || 'not known'}."
    end

    # @return [String, nil]
    def warning
      return unless load && load > BUSY * Etc.nprocessors

      "The machine had other work to do (load average #{load}): these numbers say little."
    end

    private

    def cpu
      text = File.readable?('/proc/cpuinfo') ? File.read('/proc/cpuinfo') : ''
      text[/^model name\s*:\s*(.+)$/, 1] || RUBY_PLATFORM
    end

    def pinned?
      !ENV.fetch('BENCH_REDIS_CORE', '').empty?
    end
  end
end
