# frozen_string_literal: true

# The Ruby part of bin/bench, for when all is set up. All keys of the Redis at REDIS_URL are deleted:
#
#   REDIS_URL=redis://127.0.0.1:6379/0 bundle exec ruby benchmark/main.rb --only enqueue
require_relative 'options'

settings = Bench::Options.parse(ARGV)

require 'resque'
require_relative 'arena'
require_relative 'charts'
require_relative 'machine'
require_relative 'readme'
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
      @arena = Arena.new(ENV.fetch('REDIS_URL'))
      @machine = Machine.new(@arena.server.version)
    end

    # @return [Integer] exit status
    def call
      warn(*@machine.warning)
      @settings.only.each { |name| @results[name] = measure(name) }
      write if @settings.write
      0
    rescue Error, Redis::BaseError => e
      warn "bin/bench: #{e.message}"
      1
    ensure
      finish
    end

    private

    # What was measured before a failure or an interruption is printed, too; the contenders end even if nobody reads it.
    def finish
      print_report if @results.any?
    ensure
      @arena.stop
    end

    def report
      Report.new(@results, @machine)
    end

    def print_report
      puts @settings.json ? report.to_json : report.to_s
    end

    def measure(name)
      from = now
      Row::REGISTRY.fetch(name).new(@arena, @settings).call.tap do
        warn format('%<name>s: measured in %<seconds>.1f s', name: name, seconds: now - from)
      end
    end

    def write
      drawn = Charts.new(@results).write
      pictures = drawn.map { |name| "![#{name}](benchmark/results/#{name}.svg)" }
      Readme.new.write([report.to_markdown, *pictures].join("\n\n"))
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end

$stdout.sync = true
# Only the first counts: a Ctrl-C, or a terminal that is closed (HUP), brings TERM from bin/bench as well, which would
# keep the contenders from being ended.
endings = { 'INT' => 130, 'TERM' => 143, 'HUP' => 129 }
endings.each do |signal, status|
  trap(signal) do
    endings.each_key { |other| trap(other, 'IGNORE') }
    exit status
  end
end
begin
  exit Bench::Main.new(settings).call
rescue Errno::EPIPE
  exit 1 # as in `bin/bench | head -3`
end
