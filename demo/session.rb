# frozen_string_literal: true

require 'redis'
require 'redis-namespace'
require 'resque-fair-share-rs'
require_relative '../bin/support/error'
require_relative '../bin/support/redis_server'

module Demo
  # The Redis that the demo uses: the one at REDIS_URL, else a server of its own. All keys have a prefix of their own.
  class Session
    # @return [String] the prefix
    attr_reader :namespace
    # @return [Support::RedisServer, nil] the demo's own
    attr_reader :server

    # @param url [String, nil]
    def initialize(url)
      @server = Support::RedisServer.start unless url
      @url = url || @server.url
      @namespace = "fair-share-demo-#{Process.pid}"
    end

    # Every process calls this once.
    # @raise [Support::Error] when no Redis answers there
    def connect
      @redis = Redis.new(url: @url)
      @redis.ping
      Resque.redis = Redis::Namespace.new(@namespace, redis: @redis)
    rescue Redis::BaseError, ArgumentError => e
      @redis = nil
      raise Support::Error, "no Redis answers at #{address}: #{e.message}"
    end

    # @return [String]
    def redis_version
      @redis.info('server').fetch('redis_version')
    end

    # @return [String] the URL without a password
    def address
      @url.sub(%r{//[^@/]*@}, '//')
    end

    # Deletes all keys of the demo.
    def clear
      @redis&.scan_each(match: "#{@namespace}:*", count: 1000)&.each_slice(500) { |keys| @redis.del(*keys) }
    end
  end
end
