# frozen_string_literal: true

# What Ruby writes as JSON, and no JSON reader takes: NaN, Infinity, more than a hundred levels.
RSpec.describe 'A job that no worker could read' do
  let(:deep) { 120.times.inject(1) { |inner, _| [inner] } }

  # As an application without this gem writes it.
  def push_raw(job, *args, to: 'fair')
    redis.sadd('resque:queues', to)
    redis.rpush("resque:queue:#{to}", Resque.encode(class: job.to_s, args: args))
  end

  def failures
    redis.lrange('resque:failed', 0, -1).map { |entry| JSON.parse(entry) }
  end

  describe 'is refused at enqueue' do
    def expect_refused(where, &)
      expect(&).to raise_error(ArgumentError, where)
      expect(redis.keys('resque:queue:*') + our_keys).to eq([])
    end

    it 'with the place of what is wrong' do
      expect_refused(/Jobs::Fair: args\[0\]\["a"\]\[1\] is NaN/) { enqueue('a', 1, a: [1, Float::NAN]) }
      expect_refused(/args\[1\] is -Infinity/) { Resque.enqueue(Jobs::Fair, { account_id: 'a' }, -Float::INFINITY) }
      expect_refused(/more than 99 levels/) { enqueue('a', 1, a: deep) }
      expect_refused(/is NaN/) { enqueue(Float::NAN, 1) }
    end

    it 'by enqueue_all and enqueue_to as well' do
      expect_refused(/args\[0\]\["a"\] is NaN/) do
        Resque::FairShare.enqueue_all(Jobs::Fair, [[{ account_id: 'a' }], [{ account_id: 'a', a: Float::NAN }]])
      end
      expect_refused(/levels/) { Resque.enqueue_to('fair', Jobs::Fair, account_id: 'a', a: deep) }
    end
  end

  it 'is not what only looks like it' do
    enqueue('NaN', 1, text: 'Infinity', list: Array.new(200) { [{}] })
    levels = 95.times.inject(1) { |inner, _| [inner] }
    enqueue('a', 1, a: levels)
    2.times { reserve.perform }
    expect(done).to eq(%w[NaN:0 a:0])
  end

  it 'goes into the failed list, and the worker goes on' do
    push_raw(Jobs::Fair, { account_id: 'a', n: Float::NAN })
    push_raw(Jobs::Fair, { account_id: 'a', n: deep })
    enqueue('b', 1)
    push_raw(Jobs::Plain, Float::NAN)
    push_raw(Jobs::Plain, deep)
    enqueue('b', 1, n: 1)
    worker = WorkerProcess.start('fair', fork_per_job: false)
    wait_until('the jobs behind it') { done.size == 2 && our_keys.empty? }
    worker.quit
    expect(failures.size).to eq(4)
    expect(failures.map { |failure| failure['payload']['args'].first }).to include(/NaN/, /\[\[\[\[/)
    expect_drained
  end

  it 'goes there also where the worker does not know yet that the queue is fair' do
    push_raw(Jobs::Fair, { account_id: 'a', n: Float::NAN })
    expect([reserve, failures.size]).to eq([nil, 1])
    push_raw(Jobs::Plain, Float::NAN)
    enqueue('b', 1)
    worker = fork do
      Resque.redis = REDIS_URL
      exit!(reserve.args.first['account_id'] == 'b' ? 0 : 1)
    end
    expect(Process.wait2(worker).last).to be_success
    expect(failures.size).to eq(2)
  end

  it 'raises, as in stock, on a queue of plain jobs' do
    push_raw(Jobs::Plain, Float::NAN, to: 'plain')
    expect { reserve('plain') }.to raise_error(Resque::Helpers::DecodeException)
    expect(failures).to eq([])
  end
end
