# frozen_string_literal: true

RSpec.describe 'Resque::FairShare.enqueue_all' do # rubocop:disable RSpec/DescribeClass -- a method
  def list(count, accounts = 3)
    Array.new(count) { |n| [{ account_id: n % accounts, n: n }] }
  end

  def enqueue_all(...)
    Resque::FairShare.enqueue_all(...)
  end

  # @return [Hash{String => Integer}] what Redis was asked while the block ran, also by scripts, and how often
  def commands
    before = calls
    yield
    calls.merge(before) { |_, after, earlier| after - earlier }.select { |_, count| count.positive? }
  end

  def calls
    redis.info('commandstats').transform_values { |stat| stat['calls'].to_i }
  end

  # Notes which hooks ran, in which order.
  let(:hooked) do
    stub_const('HookedJob', Class.new(Jobs::Fair) do
      @calls = []
      class << self
        attr_reader :calls

        def before_enqueue_a(params) # rubocop:disable Naming/PredicateMethod -- Resque's way to veto
          calls << [:before_a, params[:n]]
          params[:account_id] = 'changed' if params[:n] == 4
          params[:n] != 1
        end

        def before_enqueue_b(params)
          calls << [:before_b, params[:n]]
          params[:n] == 2 ? nil : true
        end

        def after_enqueue_c(params)
          calls << [:after, params[:n]]
        end
      end
    end)
  end

  it 'puts each job into its partition, in order, and says how many' do
    expect(enqueue_all(Jobs::Fair, list(7))).to eq(7)
    expect([waiting(0), waiting(1), waiting(2), Resque.size('fair'), Resque.queues]).to eq([3, 2, 2, 7, ['fair']])
    expect_consistent
    7.times { reserve.perform }
    expect(done.group_by do |name|
      name[0]
    end.values.map(&:itself)).to contain_exactly(%w[0:0 0:3 0:6], %w[1:1 1:4], %w[2:2 2:5])
    expect_drained
  end

  it 'writes the bytes that Resque.enqueue writes' do
    args = [{ account_id: 'a', odd: [[], {}, (2**53) + 1, 1.0, nil, "\u0000😀"] }, :symbol, 'more']
    Resque.enqueue(Jobs::Fair, *args)
    enqueue_all(Jobs::Fair, [args])
    first, second = redis.lrange('resque:fair_share:fair:sub:a', 0, -1).map { |element| element[11..] }
    expect(second).to eq(first)
  end

  it 'takes the queue that it is given, else the class’s' do
    enqueue_all(Jobs::Fair, list(2), queue: :other)
    enqueue_all(Jobs::Fair, list(1), queue: 'third')
    expect(Resque.queue_sizes).to eq('other' => 2, 'third' => 1)
  end

  it 'is one round trip a thousand jobs' do
    enqueue_all(Jobs::Fair, list(1)) # connects, and loads the script
    [[1000, 1], [2500, 3]].each do |jobs, round_trips|
      used = commands { enqueue_all(Jobs::Fair, list(jobs)) }
      expect(used.slice('evalsha', 'eval', 'ping')).to eq('evalsha' => round_trips)
      expect(used.values.sum).to be < 8 * jobs, "inside of the script: #{used}"
    end
    expect(Resque.size('fair')).to eq(3501)
  end

  it 'of no job is 0 and writes nothing' do
    expect(enqueue_all(Jobs::Fair, [])).to eq(0)
    expect(redis.keys('*')).to eq([])
  end

  describe 'hooks' do
    it 'run for each job as with Resque.enqueue: they veto it, change its arguments, follow what was enqueued' do
      one_by_one = list(5).count { |args| Resque.enqueue(hooked, *args) }
      expected = [hooked.calls.dup, waiting_numbers]
      hooked.calls.clear
      redis.flushdb

      expect(enqueue_all(hooked, list(5))).to eq(one_by_one).and eq(4)
      sorted = ->(calls) { calls.group_by(&:last) }
      expect([sorted.call(hooked.calls), waiting_numbers]).to eq([sorted.call(expected[0]), expected[1]])
      expect(hooked.calls.index([:after, 0])).to be > hooked.calls.index([:before_b, 4])
      expect(waiting('changed')).to eq(1)
    end

    def waiting_numbers
      Resque::FairShare.queue('fair').partitions.to_h do |partition|
        [partition.id, partition.jobs.map { |payload| payload['args'].first['n'] }]
      end
    end

    it 'that veto all leave nothing' do
      expect(enqueue_all(hooked, [[{ account_id: 1, n: 1 }]] * 3)).to eq(0)
      expect(redis.keys('*')).to eq([])
    end
  end

  describe 'refuses, before the first write,' do
    {
      'a job without partition' => [/no Hash argument has the partition key/, -> { list(1500) << [{ other: 1 }] }],
      'arguments that are no Array' => [/must be an Array; one is \{/, -> { list(1500) << { account_id: 1 } }],
      'nil in place of arguments' => [/one is nil/, -> { list(1500) << nil }],
      'what is no list' => [/the list of arguments is/, -> { { account_id: 1 } }]
    }.each do |what, (message, jobs)|
      it what do
        expect { enqueue_all(Jobs::Fair, instance_exec(&jobs)) }.to raise_error(ArgumentError, message)
        expect(redis.keys('*')).to eq([])
      end
    end

    it 'a class that is not fair' do
      expect { enqueue_all(Jobs::Plain, [[1]]) }.to raise_error(ArgumentError, /Jobs::Plain/)
      expect { enqueue_all('Jobs::Fair', [[1]]) }.to raise_error(ArgumentError, /"Jobs::Fair"/)
    end

    it 'a class without queue' do
      klass = stub_const('NoQueueJob', Class.new { extend Resque::Plugins::FairShare })
      expect { enqueue_all(klass, [[{ account_id: 1 }]]) }.to raise_error(Resque::NoQueueError)
    end

    it 'arguments that can’t be encoded' do
      expect { enqueue_all(Jobs::Fair, list(1500) << [{ account_id: 1, bad: "\xff" }]) }.to raise_error(StandardError)
      expect(redis.keys('*')).to eq([])
    end

    it 'a weight that is none' do
      Resque::FairShare.configure { |config| config.weight = ->(id) { id == '1400' ? 0 : 1 } }
      expect { enqueue_all(Jobs::Fair, list(1500, 1500)) }.to raise_error(ArgumentError, /"1400" is 0/)
      expect(redis.keys('*')).to eq([])
    end
  end

  it 'writes a batch whole or not at all when Redis is full' do
    server = RedisServer.start
    Resque.redis = server.url
    enqueue_all(Jobs::Fair, list(1000))
    server.client.config(:set, 'maxmemory', server.client.info['used_memory'].to_i + 100_000)
    big = Array.new(5000) { |n| [{ account_id: n % 3, text: 'x' * 200 }] }
    expect { enqueue_all(Jobs::Fair, big) }.to raise_error(Redis::CommandError, /OOM/)

    server.client.config(:set, 'maxmemory', 0)
    size = Resque.size('fair')
    expect([size % 1000, size < 6000]).to eq([0, true])
    expect(Resque::FairShare.queue('fair').stats.values_at(:pending, :runnable)).to eq([size, size])
    expect((0..2).sum { |id| server.client.llen("resque:fair_share:fair:sub:#{id}") }).to eq(size)
  ensure
    server.stop
  end

  it 'uses the weights of the configuration, one lambda call a job' do
    asked = []
    Resque::FairShare.configure { |config| config.weight = ->(id) { asked << id and 2 } }
    enqueue_all(Jobs::Fair, list(3))
    expect([asked, Resque::FairShare.queue('fair').partitions.map(&:weight)]).to eq([%w[0 1 2], [2.0] * 3])
  end

  it 'runs them at once where Resque.inline is set' do
    Resque.inline = true
    expect(enqueue_all(Jobs::Fair, list(3))).to eq(3)
    expect([done, our_keys]).to eq([%w[0:0 1:1 2:2], []])
  end

  it 'puts whole payloads into the list where the strategy is :legacy_scan' do
    Resque::FairShare.configure { |config| config.dequeue_strategy = :legacy_scan }
    expect(enqueue_all(Jobs::Fair, list(3))).to eq(3)
    expect(Resque.peek('fair', 0, 5).map { |payload| payload['args'].first['n'] }).to eq([0, 1, 2])
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(done.sort).to eq(%w[0:0 1:1 2:2])
  end
end
