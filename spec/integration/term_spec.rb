# frozen_string_literal: true

# As a deployment does it: TERM, which a worker with TERM_CHILD turns into an exception at any point (R120).
RSpec.describe 'A worker that gets TERM' do
  before { Resque::FairShare.configure { |config| config.max_in_flight = 1 } }

  def start_worker(**options, &prepare)
    WorkerProcess.start('fair', **options) do |worker|
      worker.term_child = true
      prepare&.call
    end
  end

  it 'frees the slot of its job, which fails once, when its child gets it as well' do
    enqueue('a', 1, then: :hold)
    enqueue('a', 1, n: 1)
    worker = start_worker
    child = wait_until { holding.first }
    Process.kill(:TERM, child)
    worker.signal(:TERM)
    worker.wait

    expect([in_flight('a'), pending('a'), failed]).to eq([0, 1, [%w[a:0 Resque::TermException]]])
    expect_consistent
    WorkerProcess.drain('fair')
    expect(done).to eq(%w[a:0 a:1])
    expect_drained
  end

  it 'frees the slot of its job, which fails once, without a fork per job' do
    enqueue('a', 1, then: :hold)
    enqueue('a', 1, n: 1)
    worker = start_worker(fork_per_job: false)
    wait_until { holding.any? }
    worker.signal(:TERM)
    worker.wait

    expect([in_flight('a'), pending('a'), failed]).to eq([0, 1, [%w[a:0 Resque::TermException]]])
    expect_consistent
  end

  it 'loses no job when it comes inside of a reserve' do
    server = RedisServer.another
    redis = server.client.tap(&:flushall)
    Resque.redis = url = server.url
    enqueue('a', 2)
    held = reserve
    worker = start_worker(fork_per_job: false) { Resque.redis = Redis.new(url: url, timeout: 10) }
    wait_until { worker.registered? }
    redis.call('CLIENT', 'PAUSE', '60000', 'WRITE')
    wait_until { redis.client(:list).any? { |client| client['cmd'] == 'evalsha' && client['flags'].include?('b') } }
    worker.signal(:TERM)
    redis.call('CLIENT', 'UNPAUSE')
    worker.wait
    held.perform

    expect(reserve.args.first['n']).to eq(1)
    expect(redis.smembers('resque:workers')).to eq([])
  ensure
    redis.call('CLIENT', 'UNPAUSE')
  end
end
