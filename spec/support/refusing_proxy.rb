# frozen_string_literal: true

require 'socket'

# Stands between clients and a server and, when told, answers each command with an error of the server's.
class RefusingProxy
  def initialize(port)
    @target = port
    @server = TCPServer.new('127.0.0.1', 0)
    @threads = [Thread.new { loop { accept } }]
  end

  def url
    "redis://127.0.0.1:#{@server.addr[1]}"
  end

  # @param text [String, nil] nil: no more
  def refuse(text)
    @text = text
  end

  # In a child, which has no threads of its parent's.
  def stop_here
    @server.close
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
      IO.select([client, upstream]).first.each { |from| forward(from.readpartial(1 << 16), from, client, upstream) }
    end
  rescue EOFError, SystemCallError
    nil
  ensure
    client.close
    upstream.close
  end

  def forward(data, from, client, upstream)
    return client.write(data) if from == upstream
    return upstream.write(data) unless @text

    data.scan(/^\*\d+\r\n/).size.times { client.write("-#{@text}\r\n") }
  end
end
