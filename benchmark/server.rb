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

    # Without what goes with the clients and their buffers, which come and go by themselves, and the scripts.
    # @return [Integer] bytes
    def memory
      sleep 0.2 # buffers of what was just done
      info = redis.info('memory')
      info.fetch('used_memory').to_i - info.values_at('mem_clients_normal', 'used_memory_scripts').sum(&:to_i)
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
