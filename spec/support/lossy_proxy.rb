# frozen_string_literal: true

require 'socket'

# Stands between a client and a server and, when told, loses a reply: the command has run, and its connection breaks.
class LossyProxy
  def initialize(port)
    @target = port
    @lose = false
    @server = TCPServer.new('127.0.0.1', 0)
    @threads = [Thread.new { loop { accept } }]
  end

  def url
    "redis://127.0.0.1:#{@server.addr[1]}"
  end

  def lose_next_reply
    @lose = true
  end

  # @return [Boolean] whether the next reply is still to be lost
  def losing?
    @lose
  end

  def stop
    @threads.each(&:kill)
    @server.close
  end

  private

  def accept
    client = @server.accept
    @threads << Thread.new { pass(client, TCPSocket.new('127.0.0.1', @target)) }
  end

  def pass(client, upstream)
    loop do
      IO.select([client, upstream]).first.each do |from|
        data = from.readpartial(1 << 16)
        return @lose = false if @lose && from == upstream

        (from == client ? upstream : client).write(data)
      end
    end
  rescue EOFError, SystemCallError
    nil
  ensure
    client.close
    upstream.close
  end
end
