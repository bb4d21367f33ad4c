# frozen_string_literal: true

# The Ruby part of bin/bench, for when everything is set up:
#
#   bundle exec ruby benchmark/main.rb --only enqueue
require_relative 'options'

settings = Bench::Options.parse(ARGV)

require 'resque'
require_relative '../bin/support/clock'
require_relative '../bin/support/error'
require_relative '../bin/support/interruption'
require_relative '../bin/support/machine'
require_relative '../bin/support/redis_server'
require_relative 'arena'
require_relative 'cores'
require_relative 'page'
require_relative 'report'
require_relative 'row'
Dir[File.join(__dir__, 'rows', '*.rb')].each { |file| require file }

module Bench
  # Measures the rows, one after the other, and reports.
  class Main
    # @param settings [Options::Settings]
    def initialize(settings)
      @settings = settings
      @results = {}
    end

    # @return [Integer] exit status
    def call
      prepare
      @settings.only.each { |name| @results[name] = measure(name) }
      Charts.new(@results).write if @settings.charts
      Page.new.write(@results, report) if @settings.write
      0
    rescue Support::Interruption => e
      e.exit_status
    rescue Support::Error, Redis::BaseError => e
      warn "bin/bench: #{e.message}"
      1
    ensure
      finish
    end

    private

    # Always with a server of its own: all keys are deleted.
    def prepare
      server = Support::RedisServer.start
      Cores.pin(server.pid)
      @arena = Arena.new(server.url)
      @machine = Support::Machine.new(@arena.server.version)
      warn(*@machine.warning)
    end

    # After a failure or an interruption the rows that are complete are printed. The contenders end even if nobody
    # reads that.
    def finish
      puts @settings.json ? report.to_json : report.to_s if @results.any?
    ensure
      @arena&.stop
    end

    def report
      Report.new(@results, @machine)
    end

    def measure(name)
      from = Support::Clock.now
      Row::REGISTRY.fetch(name).new(@arena, @settings).call.tap do
        warn format('%<name>s: measured in %<seconds>.1f s', name: name, seconds: Support::Clock.now - from)
      end
    end
  end
end

$stdout.sync = true
Support::Interruption.watch(at_once: true)
begin
  exit Bench::Main.new(settings).call
rescue Errno::EPIPE
  exit 1 # as in `bin/bench | head -3`
end
