# frozen_string_literal: true

module Bench
  # How much may be put into Redis here.
  module MemoryLimit
    # What a waiting job takes, with what the allocator leaves unused.
    BYTES_PER_JOB = 200

    module_function

    # @return [Integer] jobs that fit into half of what is free
    def jobs
      available = File.read('/proc/meminfo')[/^MemAvailable:\s+(\d+) kB/, 1]
      available ? available.to_i * 1024 / 2 / BYTES_PER_JOB : 1_000_000
    rescue SystemCallError
      1_000_000
    end
  end
end
