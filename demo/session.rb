# frozen_string_literal: true

require 'redis'
require 'redis-namespace'
require 'resque-fair-share-rs'
require_relative 'error'

module Demo
  # The Redis that the demo uses, under a prefix of its own.
  class Session
    # @return [String] what all keys of this demo begin with
    attr_reader :namespace

    # @param url [String]
    def initialize(url)
      @url = url
      @namespace = "fair-share-demo-#{Process.pid}"
    end

    # In each process once.
    # @raise [Error] when no Redis answers there
    def connect
      @redis = Redis.new(url: @url)
      @redis.ping
      Resque.redis = Redis::Namespace.new(@namespace, redis: @redis)
    rescue Redis::BaseError, ArgumentError => e
      @redis = nil
      raise Error, "no Redis answers at #{address}: #{e.message}"
    end

    # @return [String]
    def redis_version
      @redis.info('server').fetch('redis_version')
    end

    # @return [String] where it is, without a password
    def address
      @url.sub(%r{//[^@/]*@}, '//')
    end

    # Deletes all that the demo has put into Redis.
    def clear
      @redis&.scan_each(match: "#{@namespace}:*", count: 1000)&.each_slice(500) { |keys| @redis.del(*keys) }
    end
  end
end
