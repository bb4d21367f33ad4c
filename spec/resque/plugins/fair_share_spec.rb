# frozen_string_literal: true

RSpec.describe Resque::Plugins::FairShare do
  def job_class(&body)
    stub_const('SpecJob', Class.new do
      extend Resque::Plugins::FairShare

      @queue = :fair
      define_singleton_method(:perform) { |*| nil }
      class_eval(&body) if body
    end)
  end

  def partitions
    redis.zrange('resque:fair_share:fair:partitions', 0, -1)
  end

  # => the partition that enqueueing with these arguments gave
  def partition_of(*args)
    redis.flushdb
    Resque.enqueue(SpecJob, *args)
    partitions.first
  end

  it 'passes Resque\'s own check of plugins' do
    expect { Resque::Plugin.lint(described_class) }.not_to raise_error
  end

  describe 'where the partition is' do
    it 'is under the key of fair_share_on in any of the Hash arguments' do
      job_class { fair_share_on :org_id }
      expect(partition_of({ org_id: 7 })).to eq('7')
      expect(partition_of('first', { 'other' => 1 }, { 'org_id' => 'acme' })).to eq('acme')
    end

    it 'is what the block gives, which gets the arguments as perform does' do
      job_class { fair_share_on { |args| args[1]['tenant'] } }
      expect(partition_of(1, { tenant: :acme })).to eq('acme')
    end

    it 'is what a lambda gives, with one parameter for all arguments or one for each' do
      job_class { fair_share_on(&->(args) { args[-1] }) }
      expect(partition_of(1, 2, 3)).to eq('3')
      job_class { fair_share_on(&->(_one, two, *) { two }) }
      expect(partition_of(1, 2, 3, 4, 5)).to eq('2')
    end

    it 'is under the configured key where the class says nothing' do
      Resque::FairShare.configure { |config| config.partition_key = :org_id }
      job_class
      expect(partition_of({ org_id: 7 })).to eq('7')
    end

    it 'is the argument at the configured index where no Hash has the key' do
      Resque::FairShare.configure { |config| config.partition_index = 1 }
      job_class
      expect(partition_of('x', 'acme')).to eq('acme')
      expect(partition_of('x', 'acme', { account_id: 3 })).to eq('3')
    end

    it 'is inherited, and a subclass may say otherwise' do
      job_class { fair_share_on :org_id }
      stub_const('Sub', Class.new(SpecJob) { @queue = :fair })
      stub_const('Other', Class.new(SpecJob) { @queue = :fair and fair_share_on(:other) })
      Resque.enqueue(Sub, org_id: 1)
      Resque.enqueue(Other, org_id: 1, other: 2)
      expect(partitions).to eq(%w[1 2])
    end

    it 'takes false, 0 and the empty string as values' do
      job_class
      expect(partition_of({ account_id: false })).to eq('false')
      expect(partition_of({ account_id: 0 })).to eq('0')
      expect(partition_of({ account_id: '' })).to eq('')
    end

    it 'is the String of the value, as Ruby prints it' do
      job_class
      expect(partition_of({ account_id: '1' })).to eq(partition_of({ account_id: 1 }))
      expect(partition_of({ account_id: :acme })).to eq('acme')
      [(2**53) + 1, 10**30, -(2**63), 1.0, 1e-7].each do |value|
        expect(partition_of({ account_id: value })).to eq(Resque::FairShare::Native::Queue.encoded(value.to_s))
      end
    end

    it 'tells emoji, combining marks and colons apart' do
      job_class
      ids = ['😀', "e\u0301", "\u00e9", 'a:b', 'a b', 'a%3Ab', "\n"]
      ids.each { |id| Resque.enqueue(SpecJob, account_id: id) }
      expect(partitions.size).to eq(ids.size)
      expect(Array.new(ids.size) { reserve.args[0]['account_id'] }).to eq(ids)
    end

    it 'is found for the job inside ActiveJob\'s wrapper' do
      job_class { fair_share_on :account_id }
      wrapped = { 'job_class' => 'SpecJob', 'job_id' => 'x', 'arguments' => [{ 'account_id' => 42 }] }
      Resque.push('fair', class: 'ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper', args: [wrapped])
      expect(partitions).to eq(['42'])
    end
  end

  describe 'a job without a partition value' do
    def expect_refused(message, *args)
      expect { Resque.enqueue(SpecJob, *args) }.to raise_error(ArgumentError, message)
      expect(redis.keys).to eq([])
    end

    it 'is refused, naming class and key, and nothing is written' do
      job_class { fair_share_on :org_id }
      expect_refused(/SpecJob.*"org_id"/, { account_id: 1 })
      expect_refused(/SpecJob.*"org_id"/, { org_id: nil })
    end

    it 'is refused when no argument is a Hash' do
      job_class
      expect_refused(/SpecJob: no argument is a Hash.*"account_id"/, 1, 'two', [3])
      expect_refused(/SpecJob: no argument is a Hash/)
    end

    it 'is refused when the block gives nil' do
      job_class { fair_share_on { |args| args[5] } }
      expect_refused(/SpecJob: the block of fair_share_on gave nil/, 1)
    end

    it 'is refused when there is no argument at the configured index either' do
      Resque::FairShare.configure { |config| config.partition_index = 2 }
      job_class
      expect_refused(/SpecJob.*"account_id".*partition_index 2/, 1)
    end
  end

  it 'refuses a rule that can be none' do
    expect { job_class { fair_share_on 12 } }.to raise_error(ArgumentError, /SpecJob|Class/)
  end

  it 'keeps the hooks of 0.1.0 callable, and harmless' do
    job_class
    expect do
      SpecJob.after_enqueue_fair_share({ 'account_id' => 1 })
      SpecJob.before_perform_fair_share({ 'account_id' => 1 })
      2.times { SpecJob.after_perform_fair_share({ 'account_id' => 1 }) }
      SpecJob.on_failure_fair_share(RuntimeError.new, { 'account_id' => 1 })
    end.not_to(change { redis.keys.sort })
    expect(Resque::FairShare::Hooks).to be(described_class)
  end
end
