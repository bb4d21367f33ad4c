# frozen_string_literal: true

require 'socket'
require 'uri'

module Bench
  # A proxy between a contender and Redis that counts round trips. The first bytes sent after an answer begin a new one,
  # so a pipeline is one round trip.
  class Proxy
    # @param server [Server]
    def initialize(server)
      @target = URI(server.url)
      @listener = TCPServer.new('127.0.0.1', 0)
      @trips = 0
      @lock = Mutex.new
      @thread = Thread.new { accept }
    end

    def url
      "redis://127.0.0.1:#{@listener.addr[1]}/0"
    end

    # @return [Integer] round trips during the block
    def count
      before = @lock.synchronize { @trips }
      yield
      @lock.synchronize { @trips } - before
    end

    def stop
      @thread.kill
      @listener.close
    end

    private

    def accept
      loop do
        client = @listener.accept
        Thread.new { serve(client) }
      end
    end

    def serve(client)
      redis = TCPSocket.new(@target.host, @target.port)
      [client, redis].each { |socket| socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1) }
      relay(client, redis)
    rescue IOError, SystemCallError
      [client, redis].compact.each(&:close)
    end

    def relay(client, redis)
      answered = true
      loop do
        IO.select([client, redis]).first.each do |from|
          data = from.readpartial(65_536)
          @lock.synchronize { @trips += 1 } if from == client && answered
          answered = from == redis
          (answered ? client : redis).write(data)
        end
      end
    end
  end
end
