# frozen_string_literal: true

require 'redis'

module Bench
  # The harness's view of the redis-server.
  class Server
    BYTES_PER_SLOT = 8

    # @return [String]
    attr_reader :url
    # @return [Redis]
    attr_reader :redis

    def initialize(url)
      @url = url
      @redis = Redis.new(url: url, timeout: 120)
      @redis.ping
    end

    def clear
      redis.call('FLUSHALL', 'SYNC')
    end

    def reset_statistics
      redis.call('CONFIG', 'RESETSTAT')
    end

    # @return [Float] CPU seconds since it started
    def cpu
      redis.info('cpu').values_at('used_cpu_user', 'used_cpu_sys').sum(&:to_f)
    end

    # @return [Hash{String => Hash}] command => "calls", "usec", "usec_per_call", ...
    def commands
      redis.info('commandstats')
    end

    # Not INFO's used_memory: it includes clients and their buffers, which vary by as much as the jobs take.
    # @return [Integer] bytes of all keys, and of the table of keys
    def memory
      slots = redis.dbsize
      memory_of('*') + (BYTES_PER_SLOT * (2**Math.log2([slots, 4].max).ceil))
    end

    def version
      redis.info('server').fetch('redis_version')
    end

    # @return [Integer] bytes of all keys that match, with their values
    def memory_of(pattern)
      keys = redis.scan_each(match: pattern, count: 1000).to_a.uniq
      keys.sum { |key| redis.call('MEMORY', 'USAGE', key, 'SAMPLES', '0').to_i }
    end
  end
end
