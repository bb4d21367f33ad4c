# frozen_string_literal: true

require 'support/ruby_process'

RSpec.describe Resque::FairShare::Partition do
  include RubyProcess

  subject(:tenant) { queue.partition('a') }

  let(:queue) { Resque::FairShare.queue('fair') }

  def configure(&)
    Resque::FairShare.configure(&)
  end

  def level_of(partition)
    redis.zscore('resque:fair_share:fair:partitions', partition)&.floor
  end

  # @return [String] what is printed in a process that has just been started
  def in_new_process(code)
    run_ruby(<<~RUBY)
      require 'resque-fair-share-rs'
      Resque.redis = ENV.fetch('REDIS_URL')
      tenant = Resque::FairShare.queue('fair').partition('a')
      #{code}
    RUBY
  end

  it 'tells what the configuration says where nothing is set, also of one that has no job' do
    configure { |config| config.queue 'fair', max_in_flight: 7 }
    expect([tenant.id, tenant.pending, tenant.in_flight, tenant.weight, tenant.max_in_flight, tenant.paused?,
            tenant.oldest_age])
      .to eq(['a', 0, 0, 1.0, 7, false, nil])
    expect([queue.partition(42).id, queue.partition(:a).id, queue.partition(1.0).id]).to eq(%w[42 a 1.0])
  end

  describe 'cap' do
    it 'that is raised lets the next reserve have a job, with no help' do
      configure { |config| config.max_in_flight = 1 }
      enqueue('a', 3)
      reserve
      expect(reserve).to be_nil
      expect(tenant.set(max_in_flight: 2)).to be(tenant)
      expect([reserve.args.first['n'], reserve]).to eq([1, nil])
      tenant.set(max_in_flight: 0)
      expect(reserve.args.first['n']).to eq(2)
      expect_consistent
    end

    it 'that is lowered parks it at once; what runs goes on' do
      enqueue('a', 4)
      jobs = Array.new(2) { reserve }
      tenant.set(max_in_flight: 1)
      expect([queue.stats[:parked], reserve]).to eq([1, nil])
      jobs.shift.perform
      expect(reserve).to be_nil
      jobs.shift.perform
      expect([reserve.args.first['n'], reserve]).to eq([2, nil])
      expect_consistent
    end

    it 'beats the configuration, and can be taken back' do
      configure { |config| config.max_in_flight = 1 }
      enqueue('a', 5)
      enqueue('b', 2)
      tenant.set(max_in_flight: 2)
      4.times { reserve }
      expect([in_flight('a'), in_flight('b'), tenant.reload.max_in_flight]).to eq([2, 1, 2])
      tenant.set(max_in_flight: nil)
      expect([tenant.max_in_flight, redis.exists?('resque:fair_share:fair:settings')]).to eq([1, false])
    end
  end

  describe 'weight' do
    it 'moves it to the level that the weight gives, at once' do
      enqueue('a', 5)
      3.times { reserve }
      expect(level_of('a')).to eq(3)
      tenant.set(weight: 2)
      expect(level_of('a')).to eq(1)
      tenant.set(weight: 0.5)
      expect(level_of('a')).to eq(6)
      tenant.set(weight: nil)
      expect(level_of('a')).to eq(3)
      expect_consistent
    end

    it 'gives it so many running jobs for one of another' do
      configure { |config| config.max_in_flight = 0 }
      tenant.set(weight: 3)
      enqueue('a', 40)
      enqueue('b', 40)
      40.times { reserve }
      expect([in_flight('a'), in_flight('b')]).to eq([30, 10])
    end

    it 'beats that of the configuration' do
      configure { |config| config.weight = ->(id) { id == 'a' ? 5 : 1 } }
      enqueue('a', 1)
      expect(tenant.weight).to eq(5.0)
      tenant.set(weight: 2)
      enqueue('a', 1)
      expect(tenant.reload.weight).to eq(2.0)
      expect(tenant.set(weight: nil).weight).to eq(5.0)
    end
  end

  describe 'pause' do
    it 'lets no further job start until resume, and what runs go on' do
      enqueue('a', 3)
      enqueue('b', 1)
      job = reserve
      expect(tenant.pause).to be(tenant)
      expect([account_of(reserve), reserve, tenant.paused?]).to eq(['b', nil, true])
      job.perform
      enqueue('a', 1, n: 3)
      expect([reserve, tenant.reload.pending]).to eq([nil, 3])
      expect(tenant.resume.paused?).to be(false)
      3.times { reserve.perform }
      expect(done).to eq(%w[a:0 a:1 a:2 a:3])
      expect_consistent
    end

    it 'twice, or resume without it, counts once' do
      2.times { tenant.pause }
      expect(queue.stats[:paused]).to eq(1)
      2.times { tenant.resume }
      expect([queue.stats[:paused], our_keys]).to eq([0, []])
    end
  end

  describe 'what was set' do
    before { tenant.set(weight: 3, max_in_flight: 10).pause }

    it 'is there in a process that knows nothing of it, and after the queue has drained' do
      tenant.resume
      enqueue('a', 1)
      reserve.perform
      expect(our_keys).to eq(['resque:fair_share:fair:settings'])
      tenant.pause
      expect(in_new_process('p tenant.weight, tenant.max_in_flight, tenant.paused?')).to eq("3.0\n10\ntrue\n")
    end

    it 'is changed from another process, and holds at the next reserve here' do
      enqueue('a', 1)
      expect(reserve).to be_nil
      in_new_process('tenant.resume')
      expect(reserve).not_to be_nil
    end

    it 'stays where one of it is changed' do
      tenant.set(weight: 4)
      expect([tenant.weight, tenant.max_in_flight, tenant.paused?]).to eq([4.0, 10, true])
      tenant.set(max_in_flight: nil)
      expect([tenant.weight, tenant.max_in_flight, tenant.paused?]).to eq([4.0, 50, true])
      tenant.set(weight: nil).resume
      expect(our_keys).to eq([])
    end
  end

  wrong_weights = [0, -1, -0.0, Float::NAN, Float::INFINITY, 1e-310, '3', true, [], Complex(1, 1)]
  wrong_caps = [-1, 1.5, '5', true, 2**64, Float::INFINITY]
  (wrong_weights.map { |value| { weight: value } } + wrong_caps.map do |value|
    { max_in_flight: value }
  end).each do |wrong|
    it "refuses #{wrong.inspect[0, 60]}, naming it, and changes nothing" do
      tenant.set(weight: 2, max_in_flight: 3)
      right = wrong.key?(:weight) ? { max_in_flight: 9 } : { weight: 9 }
      expect do
        tenant.set(**right, **wrong)
      end.to raise_error(ArgumentError, /#{Regexp.escape(wrong.values.first.inspect)}/)
      fresh = queue.partition('a')
      expect([fresh.weight, fresh.max_in_flight]).to eq([2.0, 3])
    end
  end

  it 'refuses settings of the lane of jobs without partition' do
    enqueue('a', 1)
    Resque.enqueue(Jobs::Plain, 1)
    lane = queue.partitions.last
    expect([lane.id, lane.pending]).to eq([nil, 1])
    [-> { lane.pause }, lambda {
      lane.set(weight: 2)
    }].each { |change| expect(&change).to raise_error(ArgumentError, /lane/) }
  end

  it '#jobs has the waiting payloads, oldest first, a page at a time' do
    enqueue('a', 5)
    expect(tenant.jobs(limit: 1)).to eq([{ 'class' => 'Jobs::Fair', 'args' => [{ 'account_id' => 'a', 'n' => 0 }] }])
    numbers = ->(**page) { tenant.jobs(**page).map { |payload| payload['args'].first['n'] } }
    expect([numbers.call, numbers.call(limit: 2, offset: 3), numbers.call(offset: 5), numbers.call(limit: 0)])
      .to eq([[0, 1, 2, 3, 4], [3, 4], [], []])
    expect { tenant.jobs(offset: -1) }.to raise_error(ArgumentError, /offset is -1/)
  end

  it '#clear removes the waiting jobs, says how many, and leaves the running one its slot' do
    enqueue('a', 4)
    enqueue('b', 1)
    job = reserve
    tenant.pause
    expect([tenant.clear, tenant.pending, tenant.in_flight, Resque.size('fair'), tenant.clear]).to eq([3, 0, 1, 1, 0])
    expect_consistent
    job.perform
    tenant.resume
    reserve.perform
    expect_drained
  end

  it '#oldest_age is in seconds' do
    enqueue('a', 1)
    key = 'resque:fair_share:fair:sub:a'
    redis.lset(key, 0, format('%011x', redis.lindex(key, 0)[0, 11].hex - 90_000) + redis.lindex(key, 0)[11..])
    expect(tenant.oldest_age).to be_between(90, 95)
  end

  it 'with an id of 5,000 bytes is set, paused and served like any other' do
    long = 'x' * 5000
    queue.partition(long).set(max_in_flight: 1).pause
    enqueue(long, 2)
    expect([reserve, queue.partitions.map(&:id)]).to eq([nil, [long]])
    queue.partition(long).resume
    expect([account_of(reserve), reserve, queue.partition(long).in_flight]).to eq([long, nil, 1])
  end
end
