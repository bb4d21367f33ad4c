# frozen_string_literal: true

# Every process of a contender loads this: the gems of its bundle, and the jobs.
require 'bundler/setup'
Bundler.require
require 'json'
require 'logger'
require 'redis'
require 'redis-namespace'
require 'resque'

Resque.redis = ENV.fetch('BENCH_REDIS')
Resque.logger = Logger.new(nil)

module Bench
  module Contending
    NAME = ENV.fetch('BENCH_CONTENDER').to_sym
  end
end

require_relative 'stopwatch'
require_relative 'chains'
require_relative 'jobs'
