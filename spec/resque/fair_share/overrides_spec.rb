# frozen_string_literal: true

# Settings of one queue beat those of all, and hold from the next enqueue, reserve or release on.
RSpec.describe 'Settings of a queue' do # rubocop:disable RSpec/DescribeClass -- of several
  def configure(&)
    Resque::FairShare.configure(&)
  end

  def fill(queue, count = 4)
    count.times { |n| Resque.enqueue_to(queue, Jobs::Fair, account_id: 'a', n: n) }
  end

  def weight(id, queue = 'fair')
    Resque::FairShare.queue(queue).partition(id).weight
  end

  it 'max_in_flight: its own, 0 for none, else the one of all' do
    configure do |config|
      config.max_in_flight = 2
      config.queue 'imports', max_in_flight: 1
      config.queue :free, max_in_flight: 0
      config.queue 'fair', weight: 2
    end
    { 'imports' => 1, 'free' => 4, 'fair' => 2 }.each do |queue, most|
      fill(queue)
      expect([queue, Array.new(5) { reserve(queue) }.compact.size]).to eq([queue, most])
      expect(Resque::FairShare.queue(queue).partition('a').max_in_flight).to eq(most == 4 ? 0 : most)
    end
  end

  it 'weight: a lambda gets the id as a String, and is asked at each enqueue' do
    asked = []
    heavy = ['1']
    configure do |config|
      config.weight = ->(id) { (asked << id) && (heavy.include?(id) ? 3 : 1) }
      config.queue 'light', weight: 0.5
    end
    enqueue(1, 1)
    enqueue(:b, 1)
    fill('light', 1)
    expect([asked, weight(1), weight('b'), weight('a', 'light')]).to eq([%w[1 b], 3.0, 1.0, 0.5])
    heavy.replace(['b'])
    enqueue(1, 1)
    enqueue('b', 1)
    expect([weight(1), weight('b')]).to eq([1.0, 3.0])
  end

  it 'weight: a number that is changed, or taken back to 1, holds for what waits already at the next enqueue' do
    [3, 2, 1].each do |number|
      configure { |config| config.weight = number }
      enqueue('a', 1)
      expect(weight('a')).to eq(number)
    end
    configure { |config| config.queue 'fair', weight: 4 }
    enqueue('a', 1)
    expect(weight('a')).to eq(4)
    configure { |config| config.queue 'fair' }
    enqueue('a', 1)
    expect(weight('a')).to eq(1)
  end

  it 'weight: is kept for a payload that somebody else pushed' do
    configure { |config| config.weight = ->(id) { id == 'a' ? 3 : 1 } }
    enqueue('b', 1)
    redis.rpush('resque:queue:fair', '{"class":"Jobs::Fair","args":[{"account_id":"a","n":0}]}')
    2.times { reserve }
    expect([in_flight('a'), weight('a')]).to eq([1, 3.0])
  end

  it 'a weight’s lambda that gives none is refused at enqueue, and nothing is written' do
    configure { |config| config.weight = ->(_) { -1 } }
    expect { enqueue('a', 1) }.to raise_error(ArgumentError, /"a" is -1/)
    expect(redis.keys('*')).to eq([])
  end

  it 'charge: :jobs on one queue takes turns by jobs, the other by the time that they ran' do
    configure { |config| config.queue 'by_jobs', charge: :jobs }
    turns = %w[by_jobs fair].to_h do |queue|
      20.times do |n|
        Resque.enqueue_to(queue, Jobs::Fair, account_id: 'long', n: n)
        Resque.enqueue_to(queue, Jobs::Fair, account_id: 'short', n: n)
      end
      [queue, Array.new(12) { take_turn(queue) }.tally]
    end
    expect(turns['by_jobs']).to eq('long' => 6, 'short' => 6)
    expect(turns['fair']['short']).to be >= 9
  end

  # Jobs of `long` run for a minute, by their leases; the others for a second.
  def take_turn(queue)
    job = reserve(queue)
    id = Resque::FairShare::Lease.of(job).id
    partition, started, rest = leases(queue).fetch(id).split(' ', 3)
    ago = account_of(job) == 'long' ? 60_000 : 1000
    redis.hset("resque:fair_share:#{queue}:leases", id, "#{partition} #{started.to_i - ago} #{rest}")
    Resque::FairShare::Lease.of(job).release
    account_of(job)
  end

  {
    { max_in_flight: -1 } => /-1/,
    { max_in_flight: '5' } => /"5"/,
    { weight: 0 } => /weight is 0/,
    { charge: :both } => /:both/
  }.each do |wrong, message|
    it "refuses #{wrong} where it is given, and keeps what was" do
      configure { |config| config.queue 'fair', max_in_flight: 3, weight: 2 }
      expect { configure { |config| config.queue 'fair', **wrong } }.to raise_error(ArgumentError, message)
      enqueue('a', 1)
      expect([weight('a'), Resque::FairShare.queue('fair').partition('a').max_in_flight]).to eq([2.0, 3])
    end
  end
end
