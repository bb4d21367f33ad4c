# frozen_string_literal: true

require 'json'
require 'rbconfig'
require_relative 'bundle'
require_relative 'cores'
require_relative '../bin/support/error'

module Bench
  # The harness's side of a contender's process: it sends an operation and gets what that cost.
  class Contender
    # The harness's own commands.
    OWN = %w[info config config|resetstat].freeze

    # Wall-clock seconds; CPU seconds of the process and its children, and of redis-server; for each Redis command its
    # calls and microseconds; what the operation returned.
    Measured = Struct.new(:seconds, :cpu, :redis_cpu, :commands, :result, keyword_init: true) do
      def all_cpu
        cpu + redis_cpu
      end

      # @return [Integer] commands, with those inside scripts
      def calls
        commands.sum { |name, row| OWN.include?(name) ? 0 : row['calls'].to_i }
      end
    end

    # Seconds that a process may take to end.
    PATIENCE = 2.0
    PROGRAM = File.expand_path('contender/main.rb', __dir__)

    # @return [Symbol]
    attr_reader :name

    # @param server [Server]
    # @param url [String] where the contender connects to Redis
    def initialize(name, server, url: server.url)
      @name = name
      @server = server
      start(url)
      server.clear # of another contender's jobs
      call(:warm_up)
    end

    # @return [Measured]
    # @raise [Support::Error] when the operation failed
    def call(operation, **arguments)
      @server.reset_statistics
      redis_before = @server.cpu
      reply = ask(operation, arguments)
      commands = @server.commands
      Measured.new(seconds: reply['seconds'], cpu: reply['cpu'], redis_cpu: @server.cpu - redis_before,
                   commands: commands, result: reply['result'])
    end

    # An idle process ends when its input is closed. One that does not is killed, with its workers.
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

    # Its workers may outlive it.
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
        Process.spawn(environment, *Cores.prefix, RbConfig.ruby, PROGRAM, in: from_us, out: to_us, pgroup: true)
      end
      [from_us, to_us].each(&:close)
    end

    def ask(operation, arguments)
      @requests.puts(JSON.generate(operation: operation, arguments: arguments))
      line = @replies.gets or raise Support::Error, "the process of #{@name} has ended in #{operation}"
      reply = JSON.parse(line)
      raise Support::Error, "#{@name}, #{operation}: #{reply['error']}" if reply['error']

      reply
    rescue Errno::EPIPE
      raise Support::Error, "the process of #{@name} has ended"
    end
  end
end
