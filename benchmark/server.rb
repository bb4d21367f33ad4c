# frozen_string_literal: true

require 'redis'

module Bench
  # The redis-server, as the harness sees it.
  class Server
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

    # @return [Integer] bytes
    def memory
      redis.info('memory').fetch('used_memory').to_i
    end

    def version
      redis.info('server').fetch('redis_version')
    end

    # @return [Integer] bytes of all keys that match
    def memory_of(pattern)
      keys = redis.scan_each(match: pattern, count: 1000).to_a.uniq
      keys.sum { |key| redis.call('MEMORY', 'USAGE', key, 'SAMPLES', '0').to_i }
    end
  end
end
