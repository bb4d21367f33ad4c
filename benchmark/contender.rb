# frozen_string_literal: true

require 'json'
require 'rbconfig'
require_relative 'bundle'
require_relative 'error'

module Bench
  # A contender's process, as the harness sees it: takes an operation, gives what it cost.
  class Contender
    # The harness's own commands.
    OWN = %w[info config config|resetstat].freeze

    # Seconds by the clock; CPU seconds of the process and its children, and of redis-server; calls of each command of
    # Redis, and their microseconds; what the operation gave.
    Measured = Struct.new(:seconds, :cpu, :redis_cpu, :commands, :result, keyword_init: true) do
      def all_cpu
        cpu + redis_cpu
      end

      # @return [Integer] commands, with those inside scripts
      def calls
        commands.sum { |name, row| OWN.include?(name) ? 0 : row['calls'].to_i }
      end
    end

    # How long one that is told to end may go on: seconds.
    PATIENCE = 2.0
    PROGRAM = File.expand_path('contender/main.rb', __dir__)

    # @return [Symbol]
    attr_reader :name

    # @param server [Server]
    # @param url [String] by which it reaches Redis
    def initialize(name, server, url: server.url)
      @name = name
      @server = server
      start(url)
      server.clear # what another one has left in the queue is no job to this one
      call(:warm_up)
    end

    # @return [Measured]
    # @raise [Error] what went wrong there
    def call(operation, **arguments)
      @server.reset_statistics
      redis_before = @server.cpu
      reply = ask(operation, arguments)
      commands = @server.commands
      Measured.new(seconds: reply['seconds'], cpu: reply['cpu'], redis_cpu: @server.cpu - redis_before,
                   commands: commands, result: reply['result'])
    end

    # It ends by itself when it has nothing to do; else it, and the workers that it has forked, are made to.
    def stop
      @requests.close
      end_group unless ended_within?(PATIENCE)
    rescue Errno::ECHILD, Errno::ESRCH
      nil
    end

    private

    def ended_within?(seconds)
      (seconds / 0.02).ceil.times { Process.wait(@pid, Process::WNOHANG) ? (return true) : sleep(0.02) }
      false
    end

    # Its workers may go on when it has ended.
    def end_group
      Process.kill(:TERM, -@pid)
      ended_within?(PATIENCE)
      Process.kill(:KILL, -@pid)
      Process.wait(@pid)
    end

    def start(url)
      environment = Bundle.new(@name).prepare.merge('BENCH_REDIS' => url, 'BENCH_CONTENDER' => @name.to_s)
      from_us, @requests = IO.pipe
      @replies, to_us = IO.pipe
      @pid = Bundler.with_unbundled_env do
        Process.spawn(environment, *pinned, RbConfig.ruby, PROGRAM, in: from_us, out: to_us, pgroup: true)
      end
      [from_us, to_us].each(&:close)
    end

    def pinned
      core = ENV.fetch('BENCH_CONTENDER_CORE', '')
      core.empty? ? [] : ['taskset', '-c', core]
    end

    def ask(operation, arguments)
      @requests.puts(JSON.generate(operation: operation, arguments: arguments))
      line = @replies.gets or raise Error, "the process of #{@name} has ended in #{operation}"
      reply = JSON.parse(line)
      raise Error, "#{@name}, #{operation}: #{reply['error']}" if reply['error']

      reply
    rescue Errno::EPIPE
      raise Error, "the process of #{@name} has ended"
    end
  end
end
