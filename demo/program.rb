# frozen_string_literal: true

require_relative 'error'
require_relative 'interruption'
require_relative 'progress'
require_relative 'session'

module Demo
  # A demo from its first line to its exit status. What it shows is {#perform}'s.
  class Program
    # @param settings [Struct]
    def initialize(settings)
      @settings = settings
      @session = Session.new(ENV.fetch('REDIS_URL', 'redis://127.0.0.1:6379/0'))
    end

    # @return [Integer] exit status
    def call
      @session.connect
      perform
    rescue Interruption => e
      fail_with('Stopped.', e.exit_status)
    rescue Error, Redis::BaseError => e
      fail_with("bin/demo: #{e.message}", 1)
    ensure
      clear unless @kept
    end

    private

    # @param what [String] what an element of the lists has
    # @param lists [Array<String>]
    def keep(what, *lists)
      @kept = true
      cli = "redis-cli -u #{@session.address}"
      puts "Kept, as --keep says. #{what}",
           *lists.map { |list| "  #{cli} lrange #{@session.namespace}:#{list} 0 9" },
           'To delete these keys:',
           "  #{cli} --scan --pattern '#{@session.namespace}:*' | xargs #{cli} del", ''
    end

    def fail_with(message, status)
      warn '', message
      status
    end

    def clear
      @session.clear
    rescue Redis::BaseError => e
      warn "bin/demo: could not delete its keys, #{@session.namespace}:*: #{e.message}"
    end
  end
end
