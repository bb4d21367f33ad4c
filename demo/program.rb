# frozen_string_literal: true

require 'ruby-progressbar'
require_relative '../bin/support/error'
require_relative '../bin/support/interruption'
require_relative '../bin/support/machine'
require_relative '../bin/support/text'
require_relative 'session'

module Demo
  # A demo from its first line to its exit status. Subclasses define {#perform}.
  class Program
    # @param settings [Struct]
    def initialize(settings)
      @settings = settings
    end

    # @return [Integer] exit status
    def call
      @session = Session.new(ENV.fetch('REDIS_URL', '').then { |url| url unless url.empty? })
      @session.connect
      perform
    rescue Support::Interruption => e
      fail_with('Stopped.', e.exit_status)
    rescue Support::Error, Redis::BaseError => e
      fail_with("bin/demo: #{e.message}", 1)
    ensure
      clear unless @kept
    end

    private

    # Says which Redis is used.
    # @param lines [Array<String>] what the demo is about to do
    def introduce(*lines)
      puts lines, "Redis: #{@session.address}, keys #{@session.namespace}:*", ''
    end

    # Away from a terminal the bar only grows, on one line. It needs a length there: without one ruby-progressbar runs
    # stty and tput at each step, and the demo enqueues several times more slowly.
    # @return [ProgressBar]
    def bar(title, total)
      ProgressBar.create(title: title, total: total, format: '%t |%B| %c of %C, %a', output: $stdout,
                         length: (100 unless $stdout.tty?))
    end

    # @param what [String] what a job is called here
    # @return [String]
    def measured_with(what)
      machine = Support::Machine.new(@session.redis_version)
      Support::Text.paragraph("Measured just now. Workers: #{@settings.workers}, which fork for each #{what}. A " \
                              "#{what}: #{@settings.job_ms} ms of work. Cores: #{machine.cores}. #{machine.versions}.")
    end

    # @param what [String] what an element of the lists holds
    # @param lists [Array<String>]
    def keep(what, *lists)
      @kept = true
      cli = "redis-cli -u #{@session.address}"
      puts "Kept, as --keep says. #{what}",
           *lists.map { |list| "  #{cli} lrange #{@session.namespace}:#{list} 0 9" },
           'To delete these keys:',
           "  #{cli} --scan --pattern '#{@session.namespace}:*' | xargs #{cli} del", ''
      keep_server if @session.server
    end

    def keep_server
      puts "The demo's redis-server runs on. To end it, and to remove its folder:",
           "  kill #{@session.server.pid}; rm -r #{@session.server.folder}", ''
      @session.server.keep
    end

    def fail_with(message, status)
      warn '', message
      status
    end

    def clear
      @session&.clear
    rescue Redis::BaseError => e
      warn "bin/demo: could not delete its keys, #{@session.namespace}:*: #{e.message}"
    end
  end
end
