# frozen_string_literal: true

require 'socket'
require 'tmpdir'
require 'fileutils'
require 'redis'

# A real redis-server on the loopback, in a folder of its own, ended by its own pid.
class RedisServer
  def self.start(*arguments)
    new(arguments).tap(&:start)
  end

  # One more for specs that stop theirs, or make it slow.
  def self.another
    @another ||= start
  end

  def self.stop_another
    @another&.stop
  end

  attr_reader :port, :pid, :folder

  def initialize(arguments)
    @arguments = arguments
    @folder = Dir.mktmpdir('fair-share-redis')
    @port = TCPServer.open('127.0.0.1', 0) { |server| server.addr[1] }
  end

  def start
    @pid = Process.spawn('redis-server', '--port', @port.to_s, '--bind', '127.0.0.1', '--unixsocket', socket,
                         '--dir', @folder, '--save', '', '--appendonly', 'no', *@arguments,
                         out: File.join(@folder, 'log'), err: %i[child out])
    50.times do
      return self if client.ping
    rescue Redis::BaseConnectionError
      sleep 0.1
    end
    raise "redis-server did not start: #{File.read(File.join(@folder, 'log'))}"
  end

  def url(database = 0)
    "redis://127.0.0.1:#{@port}/#{database}"
  end

  def socket
    File.join(@folder, 'socket')
  end

  # Not Resque's client: what a spec looks at must not change what it looks at.
  def client
    @client ||= Redis.new(url: url)
  end

  def stop
    return unless @pid

    Process.kill(:KILL, @pid)
    Process.wait(@pid)
    @pid = nil
    FileUtils.rm_rf(@folder)
  end

  # As a crash and a restart: the same port, the same folder.
  def restart
    Process.kill(:KILL, @pid)
    Process.wait(@pid)
    start
  end
end
