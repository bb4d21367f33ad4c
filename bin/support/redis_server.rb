# frozen_string_literal: true

require 'fileutils'
require 'socket'
require 'tmpdir'
require_relative 'clock'
require_relative 'error'

module Support
  # A real redis-server on the loopback interface, in a folder of its own. It ends with the process that started it.
  class RedisServer
    PATIENCE = 10 # seconds
    ATTEMPTS = 5

    # @param arguments [Array<String>] more of redis-server's options
    # @raise [Error] when it does not start
    def self.start(*arguments)
      new(arguments).tap(&:start).tap(&:stop_at_exit)
    end

    # One more for specs that stop theirs, or make it slow.
    def self.another
      @another ||= start
    end

    # @return [Integer]
    attr_reader :port, :pid
    # @return [String]
    attr_reader :folder

    def initialize(arguments)
      @arguments = arguments
      @folder = Dir.mktmpdir('fair-share-redis')
    end

    # Another process may take the free port before redis-server does: then it tries the next one.
    def start
      ATTEMPTS.times do
        @port = TCPServer.open('127.0.0.1', 0) { |server| server.addr[1] }
        return if launch
      end
      raise Error, "redis-server did not start: #{File.read(log)}"
    end

    # In a process that this one has forked the server is not stopped.
    def stop_at_exit
      owner = Process.pid
      at_exit { stop if Process.pid == owner }
    end

    def url(database = 0)
      "redis://127.0.0.1:#{@port}/#{database}"
    end

    def socket
      File.join(@folder, 'socket')
    end

    # A spec must not look with Resque's own client, whose state it would change.
    def client
      require 'redis'
      @client ||= Redis.new(url: url)
    end

    # Leaves it running, and leaves its folder.
    def keep
      @pid = nil
    end

    def stop
      return unless @pid

      kill
      FileUtils.rm_rf(@folder)
    end

    # Until {#restart}.
    def crash
      kill
    end

    # As after a crash: the same port and the same folder.
    def restart
      kill if @pid
      launch or raise Error, "redis-server did not start again: #{File.read(log)}"
    end

    private

    def kill
      Process.kill(:KILL, @pid)
      Process.wait(@pid)
      @pid = nil
    end

    # In a process group of its own it does not get the terminal's Ctrl-C, and is there until the caller has cleaned up.
    def launch
      @pid = Process.spawn('redis-server', '--port', @port.to_s, '--bind', '127.0.0.1', '--unixsocket', socket,
                           '--dir', @folder, '--save', '', '--appendonly', 'no', *@arguments,
                           out: log, err: %i[child out], pgroup: true)
      answers?
    rescue Errno::ENOENT
      raise Error, 'redis-server is not installed; bin/setup says how'
    end

    def log
      File.join(@folder, 'log')
    end

    # Only this server has the socket in this folder, so no other can answer. With a password it answers NOAUTH.
    def answers?
      deadline = Clock.now + PATIENCE
      until Clock.now > deadline
        return @pid = nil if Process.wait(@pid, Process::WNOHANG)
        return true if pong?

        sleep 0.02
      end
      kill
    end

    def pong?
      UNIXSocket.open(socket) do |connection|
        connection.puts('PING')
        connection.gets.to_s.match?(/\A(\+PONG|-NOAUTH)/)
      end
    rescue SystemCallError
      false
    end
  end
end
