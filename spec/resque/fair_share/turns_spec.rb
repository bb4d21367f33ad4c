# frozen_string_literal: true

RSpec.describe Resque::FairShare::Turns do
  # A server that speaks the protocol of Redis, and answers scripts with replies that none of our scripts gives.
  around do |example|
    thread = Thread.new { loop { serve(server.accept) } }
    example.run
  ensure
    thread.kill
    server.close
  end

  let(:server) { TCPServer.new('127.0.0.1', 0) }

  attr_reader :answers

  def serve(client)
    Thread.new do
      while (head = client.gets)
        words = Array.new(head[1..].to_i) { client.read(client.gets[1..].to_i + 2).chomp }
        client.write(words.first.casecmp?('evalsha') ? answers.shift : answer(words))
      end
    end
  end

  def answer(words)
    words.first.casecmp?('lrange') ? "*1\r\n$2\r\n{}\r\n" : "+OK\r\n"
  end

  def status(word)
    "*6\r\n$#{word.size}\r\n#{word}\r\n:0\r\n$0\r\n\r\n$0\r\n\r\n:0\r\n:0\r\n"
  end

  def reserve
    Resque::FairShare::Queue.of(Redis.new(url: "redis://127.0.0.1:#{server.addr[1]}"), 'fair').turns.reserve
  end

  it 'names a reply that no script gives, and raises an error of the gem\'s own' do
    @answers = [status('surprise')]
    expect { reserve }.to raise_error(Resque::FairShare::ProtocolError, /reserve.*surprise/)
  end

  it 'does so for legacy_scan, too, where the reply is one that only the other script gives' do
    Resque::FairShare.configure { |config| config.dequeue_strategy = :legacy_scan }
    @answers = [status('none'), status('plain')]
    expect { reserve }.to raise_error(Resque::FairShare::ProtocolError, /scan answered \[:plain\]/)
  end
end
