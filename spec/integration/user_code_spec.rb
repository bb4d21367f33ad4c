# frozen_string_literal: true

require 'timeout'

# Code of users that raises where the gem calls it: rules, weights, StatsD clients, loggers, failure backends.
RSpec.describe 'Code of users that raises' do
  def self.deep
    ->(*) { deep.call }
  end

  errors = { # rubocop:disable RSpec/LeakyLocalVariable -- names examples, and is used in others
    'NoMethodError' => ->(*) { nil.partition }, 'ArgumentError' => ->(*) { raise ArgumentError, 'bad' },
    'SystemStackError' => deep, 'NotImplementedError' => ->(*) { raise NotImplementedError },
    'an error of Redis' => ->(*) { raise Redis::CannotConnectError, 'the cache is down' },
    'an error whose message raises' => lambda do |*|
      raise Class.new(StandardError) { def message = raise('no message') }
    end
  }.freeze

  let(:log) { StringIO.new }

  before { Resque::FairShare.configure { |config| config.logger = Logger.new(log) } }
  after { Jobs::Odd.rule = nil }

  def push_raw(job, number = 0, account: 'a')
    redis.rpush('resque:queue:fair', Resque.encode(class: job.to_s, args: [{ account_id: account, n: number }]))
  end

  def warnings
    log.string.lines.grep(/WARN/)
  end

  describe 'in a worker' do
    errors.each do |name, rule|
      it "as #{name}, from a partition's rule: the jobs run without partition, those of others go on" do
        enqueue('b', 2)
        3.times { |n| push_raw(Jobs::Odd, n) }
        enqueue('b', 1, n: 9)
        Jobs::Odd.rule = rule
        6.times { reserve.perform }
        expect(done.sort).to eq(%w[a:0 a:1 a:2 b:0 b:1 b:9])
        expect_drained
        expect(warnings.size).to eq(1)
        expect(warnings.first).to match(/Jobs::Odd.*fair_share_on with the block at .*odd_jobs\.rb:\d+/)
      end
    end

    it 'names class, rule and error in its one warning' do
      enqueue('b', 1)
      push_raw(Jobs::Odd)
      Jobs::Odd.rule = ->(*) { raise KeyError, 'no such account' }
      2.times { reserve.perform }
      expect(warnings.join).to match(/Jobs::Odd \(fair_share_on with the block.*KeyError: no such account/)
    end

    { 'fair_share_rule' => Jobs::OddRule, 'is_a?' => Jobs::OddKind }.each do |name, job|
      it "from the class's own #{name}: its jobs are handed out" do
        enqueue('b', 1)
        push_raw(job)
        Jobs::Odd.rule = errors['SystemStackError']
        expect([reserve, reserve].map { |found| found.payload['class'] }).to contain_exactly('Jobs::Fair', job.to_s)
      end
    end

    it 'loses no job that stock has popped' do
      Resque::FairShare.configure { |config| config.max_in_flight = 1 }
      push_raw(Jobs::Odd)
      Jobs::Odd.rule = errors['SystemStackError']
      reserve.perform
      expect([done, redis.llen('resque:queue:fair')]).to eq([['a:0'], 0])
    end

    describe 'gives a job back at an interrupt while its rule is asked:' do
      let(:asked) { Thread::Queue.new }

      before do
        push_raw(Jobs::Odd)
        Jobs::Odd.rule = lambda do |*|
          asked << true
          sleep
        end
      end

      def expect_given_back
        expect(redis.llen('resque:queue:fair')).to eq(1)
        Jobs::Odd.rule = nil
        reserve.perform
        expect([done, warnings]).to eq([['a:0'], []])
      end

      it 'a Timeout' do
        expect { Timeout.timeout(0.2) { reserve } }.to raise_error(Timeout::Error)
        expect_given_back
      end

      it 'a kill of the thread' do
        thread = Thread.new { reserve }
        asked.pop
        thread.kill.join
        expect_given_back
      end

      it 'a signal' do
        expect do
          thread = Thread.current
          Thread.new { asked.pop.then { thread.raise(SignalException, 'TERM') } }
          reserve
        end.to raise_error(SignalException)
        expect_given_back
      end
    end

    it 'does not end the worker' do
      enqueue('b', 1)
      push_raw(Jobs::Odd)
      WorkerProcess.drain('fair', fork_per_job: false) { Jobs::Odd.rule = errors['SystemStackError'] }
      expect(done.sort).to eq(%w[a:0 b:0])
      expect(redis.lrange('resque:failed', 0, -1)).to eq([])
    end

    it 'is met by legacy_scan and by a migration as well' do
      Jobs::Odd.rule = errors['NoMethodError']
      2.times { |n| push_raw(Jobs::Odd, n) }
      expect(Resque::FairShare::Migration.perform('fair')).to eq(2)
      2.times { reserve.perform }
      Resque::FairShare.configure { |config| config.dequeue_strategy = :legacy_scan }
      push_raw(Jobs::Odd, 2)
      reserve.perform
      expect(done).to eq(%w[a:0 a:1 a:2])
    end

    { 'NoMethodError' => errors['NoMethodError'], 'a text' => ->(_) { 'heavy' }, 'NaN' => ->(_) { Float::NAN },
      'SystemStackError' => errors['SystemStackError'] }.each do |name, weight|
      it "as a weight (#{name}): the one that Redis knows counts, else 1" do
        Resque::FairShare.configure { |config| config.weight = ->(partition) { partition == 'a' ? 3 : 2 } }
        enqueue('a', 1)
        Resque::FairShare.configure { |config| config.weight = weight }
        2.times { |n| push_raw(Jobs::Fair, n + 1) }
        push_raw(Jobs::Fair, 0, account: 'new')
        jobs = [reserve, reserve]
        queue = Resque::FairShare.queue('fair')
        expect([queue.partition('a').weight, queue.partition('new').weight]).to eq([3.0, 1.0])
        (jobs + [reserve, reserve]).each(&:perform)
        expect(done.sort).to eq(%w[a:0 a:1 a:2 new:0])
        expect(warnings.size).to eq(1)
        expect(warnings.first).to include('config.weight')
      end
    end
  end

  describe 'in the process that enqueues' do
    errors.except('ArgumentError').each do |name, rule|
      it "as #{name} raises to the caller, and nothing is written" do
        Jobs::Odd.rule = rule
        own = satisfy { |error| [ArgumentError, Resque::FairShare::Error].none? { |other| error.is_a?(other) } }
        [Jobs::Odd, Jobs::OddRule].each do |job|
          expect { enqueue('a', 1, job: job) }.to raise_error(own)
          expect { Resque::FairShare.enqueue_all(job, [[{ account_id: 'a' }]]) }.to raise_error(own)
        end
        expect(redis.keys('resque:queue:*') + our_keys).to eq([])
      end
    end

    it 'as a weight raises to the caller, and nothing is written' do
      Resque::FairShare.configure { |config| config.weight = ->(_) { {}.fetch(:weight) } }
      expect { enqueue('a', 1) }.to raise_error(KeyError)
      expect(redis.keys('resque:queue:*') + our_keys).to eq([])
    end

    it 'removes, peeks and lists nevertheless' do
      enqueue('a', 2, job: Jobs::Odd)
      Jobs::Odd.rule = errors['SystemStackError']
      expect(Resque.peek('fair', 0, 5).size).to eq(2)
      expect(Resque::FairShare.queue('fair').partitions.map(&:id)).to eq(['a'])
      expect(Resque.dequeue(Jobs::Odd, account_id: 'a', n: 1)).to eq(1)
      expect(Resque::Job.destroy('fair', Jobs::Odd)).to eq(1)
      expect_drained
    end
  end

  it 'as a StatsD client or a logger changes nothing' do
    broken = Class.new do
      def gauge(*) = gauge
      def method_missing(*) = raise(IOError, 'closed stream')
      def respond_to_missing?(*) = true
    end.new
    Resque::FairShare.configure do |config|
      config.statsd_client = broken
      config.logger = broken
    end
    enqueue('b', 1)
    push_raw(Jobs::Odd)
    Jobs::Odd.rule = errors['NoMethodError']
    2.times { reserve.perform }
    expect(done.sort).to eq(%w[a:0 b:0])
    expect_drained
  end

  it 'as a failure backend costs no worker: what it was to note is in the log' do
    earlier = Resque::Failure.backend
    Resque::Failure.backend = Class.new(Resque::Failure::Base) { def save = raise(IOError, 'no route') }
    enqueue('b', 1)
    redis.rpush('resque:queue:fair', 'not json')
    enqueue('b', 1, n: 1)
    2.times { reserve.perform }
    expect(done).to eq(%w[b:0 b:1])
    expect(log.string).to match(/failure backend raised IOError: no route.*not json/)
  ensure
    Resque::Failure.backend = earlier
  end

  it 'as an inspect or to_s of a value is told as a wrong value' do
    odd = Class.new { def inspect = raise('no text') }.new
    expect { Resque::FairShare.configure { |config| config.max_in_flight = odd } }
      .to raise_error(ArgumentError, /max_in_flight is an object whose inspect raised RuntimeError/)
    Jobs::Odd.rule = ->(*) { odd }
    expect { enqueue('a', 1, job: Jobs::Odd) }.to raise_error(ArgumentError, /inspect raised/)
  end

  it 'as an observer, or a client of chains, changes no chain' do
    deep = self.class.deep
    Resque::JobChain.configure do |config|
      config.logger = Logger.new(log)
      config.on(:step_completed) { deep.call }
      config.statsd_client = Class.new do
        def increment(*) = increment
        def respond_to?(name, *) = name == :increment || raise(IOError)
      end.new
    end
    start_chain('c', {}, {})
    2.times { take.perform }
    expect(status['status']).to eq('completed')
    expect(log.string).to include('an observer of step_completed raised SystemStackError')
  end

  it 'as the rule of a chain\'s next step fails the chain, which says so and can go on' do
    stub_const('Jobs::OddStep', Class.new(Jobs::Step) do
      extend Resque::Plugins::FairShare

      fair_share_on { |args| Jobs::Odd.asked(args) }
    end)
    start_chain('c', { account_id: 'a' }, { account_id: 'a' }, job: Jobs::OddStep)
    Jobs::Odd.rule = errors['SystemStackError']
    take.perform
    expect(status).to include('status' => 'failed', 'error_step' => '1', 'error_class' => 'SystemStackError')
    Jobs::Odd.rule = nil
    expect(Resque::JobChain.retry_failed('c')).to be(true)
    take.perform
    expect(status['status']).to eq('completed')
  end

  it 'as a weight can\'t fail a chain that runs' do
    start_chain('c', { account_id: 'a' }, { account_id: 'a' }, job: Jobs::FairStep)
    Resque::FairShare.configure { |config| config.weight = ->(_) { raise KeyError } }
    work_off
    expect(status['status']).to eq('completed')
  end
end
