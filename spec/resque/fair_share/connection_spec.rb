# frozen_string_literal: true

require 'connection_pool'

RSpec.describe Resque::FairShare::Connection do
  let(:servers) { [] }

  after { servers.each(&:stop) }

  def server(*arguments)
    servers << RedisServer.start(*arguments) if servers.empty?
    servers.first
  end

  def uses(redis)
    Resque.redis = redis
  end

  def round_trip
    Resque.enqueue(Jobs::Fair, account_id: 1, n: 1)
    job = reserve
    Resque::FairShare::Lease.of(job).release
    job.args
  end

  # The names of the connections that are open, by what they ran last.
  def last_commands(client)
    client.call('CLIENT', 'LIST').lines.map { |line| line[/cmd=(\S+)/, 1] }
  end

  it 'opens nothing at require, and nothing when the connection is looked up' do
    uses(Redis.new(url: 'redis://127.0.0.1:1/0'))
    expect { described_class.current }.not_to raise_error
  end

  it 'is made from the Redis that Resque uses at that moment' do
    uses(server.url(3))
    enqueue(1)
    uses(server.url(5))
    enqueue(1, 2)
    expect([server.client.tap { |c| c.select(3) }.llen('resque:queue:fair'),
            server.client.tap { |c| c.select(5) }.llen('resque:queue:fair')]).to eq([1, 2])
    expect(redis.dbsize).to eq(0)
  end

  it 'stays in its database when it was cut and connects again' do
    uses(server.url(3))
    enqueue(1)
    server.client.call('CLIENT', 'KILL', 'TYPE', 'normal')
    enqueue(1)
    expect(server.client.tap { |client| client.select(3) }.llen('resque:queue:fair')).to eq(2)
    expect(server.client.tap { |client| client.select(0) }.dbsize).to eq(0)
  end

  it 'goes over a unix socket' do
    server
    uses(Redis.new(path: server.socket, db: 2))
    expect(round_trip).to eq([{ 'account_id' => 1, 'n' => 1 }])
  end

  it 'gives a password, also one that a Proc makes at each connect' do
    skip 'redis-rb 4 calls the Proc once, when the client is made' if Redis::VERSION < '5'
    server
    server.client.config(:set, 'requirepass', 'one')
    password = 'one'
    uses(Redis.new(url: server.url, password: ->(_) { password }))
    round_trip
    admin = Redis.new(url: server.url, password: 'one')
    admin.config(:set, 'requirepass', 'two')
    admin.call('CLIENT', 'KILL', 'TYPE', 'normal')
    password = 'two'
    expect(round_trip).to eq([{ 'account_id' => 1, 'n' => 1 }])
  end

  it 'says NOAUTH where Redis has a password and the client has none' do
    server
    server.client.config(:set, 'requirepass', 'one')
    uses(Redis.new(url: server.url))
    expect { round_trip }.to raise_error(Redis::BaseError, /\ANOAUTH.*password/)
  end

  it 'works for an ACL user that may touch only Resque\'s keys' do
    server.client.call('ACL', 'SETUSER', 'resque', 'on', '>secret', '~resque:*', '+@all', '-@dangerous')
    uses(Redis.new(url: server.url, username: 'resque', password: 'secret'))
    expect(round_trip).to eq([{ 'account_id' => 1, 'n' => 1 }])
  end

  describe 'errors' do
    # redis-rb 4 has no subclasses of CommandError.
    def redis_error(name)
      Redis.const_defined?(name, false) ? Redis.const_get(name) : Redis::CommandError
    end

    it 'are Redis\'s own when it can\'t be reached, or takes too long' do
      uses(Redis.new(url: 'redis://127.0.0.1:1/0'))
      expect { enqueue(1) }.to raise_error(Redis::CannotConnectError, /127\.0\.0\.1:1/)
      uses(Redis.new(url: server.url, timeout: 0.2))
      enqueue(1)
      server.client.call('CLIENT', 'PAUSE', '600')
      expect { enqueue(1) }.to raise_error(Redis::TimeoutError, /0\.2 s/)
    end

    it 'are Redis\'s own when the server refuses' do
      server.client.call('ACL', 'SETUSER', 'some', 'on', '>secret', '~other:*', '+@all')
      uses(Redis.new(url: server.url, username: 'some', password: 'secret'))
      expect { enqueue(1) }.to raise_error(redis_error(:PermissionError), /NOPERM/)
      uses(Redis.new(url: server.url, username: 'some', password: 'wrong'))
      expect { enqueue(1) }.to raise_error(Redis::CannotConnectError, /WRONGPASS/)
      server.client.config(:set, 'maxmemory', 1)
      uses(server.url)
      expect { enqueue(1) }.to raise_error(redis_error(:OutOfMemoryError), /OOM/)
    end

    it 'that descend from the gem\'s own are few' do
      expect(Resque::FairShare::ProtocolError.ancestors).to include(Resque::FairShare::Error)
    end
  end

  it 'counts one connection for many calls' do
    uses(server.url)
    20.times { round_trip }
    expect(last_commands(server.client).grep(/eval/).size).to eq(1)
  end

  describe 'namespaces' do
    { nil => '', '' => ':', 'a' => 'a:', 'a:b' => 'a:b:', -> { 'proc' } => 'proc:' }.each do |namespace, prefix|
      it "puts #{prefix.inspect} in front of the keys for #{namespace.is_a?(Proc) ? 'a Proc' : namespace.inspect}" do
        uses(Redis::Namespace.new(namespace, redis: Redis.new(url: REDIS_URL)))
        round_trip
        enqueue(1)
        expect(redis.keys.sort).to include("#{prefix}queue:fair", "#{prefix}fair_share:fair:sub:1", "#{prefix}queues")
        expect(Resque.size('fair')).to eq(1)
        expect(redis.keys.reject { |key| key.start_with?(prefix) }).to eq([])
      end
    end

    it 'follows nested ones, and one that changes with each call' do
      inner = Redis::Namespace.new('inner', redis: Redis.new(url: REDIS_URL))
      name = 'one'
      uses(Redis::Namespace.new(-> { name }, redis: inner))
      enqueue(1)
      name = 'two'
      enqueue(1, 2)
      expect([redis.llen('inner:one:queue:fair'), redis.llen('inner:two:queue:fair')]).to eq([1, 2])
    end
  end

  describe 'by way of Resque\'s client' do
    it 'runs the same scripts when told to, and opens no connection of its own' do
      uses(server.url)
      Resque::FairShare.configure { |config| config.connection = :ruby }
      expect(round_trip).to eq([{ 'account_id' => 1, 'n' => 1 }])
      expect(server.client.call('CLIENT', 'LIST').lines.size).to eq(2)
    end

    it 'loads the scripts again after SCRIPT FLUSH' do
      Resque::FairShare.configure { |config| config.connection = :ruby }
      round_trip
      redis.script(:flush)
      expect(round_trip).to eq([{ 'account_id' => 1, 'n' => 1 }])
    end

    it 'is chosen for a connection pool' do
      pool = ConnectionPool.new(size: 2) { Redis.new(url: REDIS_URL) }
      expect(described_class.of(pool).first).not_to be_native
      expect(described_class.of(pool).first.call(%w[PING])).to eq('PONG')
    end

    it 'refuses :native for a client whose Redis the core can\'t reach' do
      Resque::FairShare.configure { |config| config.connection = :native }
      distributed = Redis::Distributed.new([REDIS_URL])
      expect { described_class.of(distributed) }.to raise_error(ArgumentError, /:native.*Distributed/)
    end
  end
end
