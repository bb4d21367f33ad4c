# frozen_string_literal: true

RSpec.describe 'Fairness' do
  # Ends a job as if it had taken so long: the lease's start is moved back.
  def end_after(milliseconds, job)
    lease = Resque::FairShare::Lease.of(job)
    key = 'resque:fair_share:fair:leases'
    partition, started, rest = redis.hget(key, lease.id).split(' ', 3)
    redis.hset(key, lease.id, "#{partition} #{started.to_i - milliseconds.to_i} #{rest}")
    lease.release
  end

  it 'serves five tenants of twenty jobs in the first five reserves of one reserver' do
    5.times { |account| enqueue(account, 20) }
    first = Array.new(5) { reserve.tap(&:perform) }
    expect(first.map { |job| account_of(job) }.sort).to eq([0, 1, 2, 3, 4])
  end

  it 'reaches at least 990 of 1,000 tenants in the first 1,000 reserves with 20 in flight' do
    1000.times { |account| enqueue(account, 3) }
    running = []
    served = Array.new(1000) do
      Resque::FairShare::Lease.of(running.shift).release if running.size == 20
      running << reserve
      account_of(running.last)
    end
    expect(served.uniq.size).to be >= 990
  end

  it 'keeps the order inside a partition' do
    enqueue('a', 30)
    enqueue('b', 30)
    order = Array.new(60) { reserve.tap(&:perform).args.first }
    %w[a b].each do |account|
      numbers = order.select { |args| args['account_id'] == account }.map { |args| args['n'] }
      expect(numbers).to eq((0...30).to_a)
    end
  end

  it 'serves newcomers in the order in which they came, whatever their names' do
    %w[z m a k b].each { |account| enqueue(account, 1) }
    expect(Array.new(5) { account_of(reserve) }).to eq(%w[z m a k b])
  end

  it 'serves a newcomer among 200 busy tenants at once' do
    200.times { |account| enqueue(account, 5) }
    300.times { Resque::FairShare::Lease.of(reserve).release }
    enqueue('zz-newcomer', 1)
    expect(account_of(reserve)).to eq('zz-newcomer')
  end

  it 'serves a newcomer at once while every other tenant has a job running' do
    20.times { |account| enqueue(account, 5) }
    20.times { reserve }
    enqueue('zz-newcomer', 1)
    expect(account_of(reserve)).to eq('zz-newcomer')
  end

  it 'gives a tenant that drains and returns no more turns than one that stays' do
    enqueue('stays', 100)
    turns = Hash.new(0)
    100.times do
      enqueue('returns', 1) unless waiting('returns').positive?
      job = reserve
      turns[account_of(job)] += 1
      end_after(100, job)
    end
    expect(turns['returns']).to be_between(48, 52)
  end

  describe 'worker time' do
    # A worker pool in virtual time.
    def simulate(workers:, rounds:, duration:)
      clock = 0.0
      running = []
      used = Hash.new(0.0)
      rounds.times do
        while running.size < workers && (job = reserve)
          takes = duration.call(account_of(job))
          running << [clock + takes, takes, job]
        end
        clock, takes, job = running.min_by(&:first)
        running.delete_if { |entry| entry[2].equal?(job) }
        used[account_of(job)] += takes
        end_after(takes, job)
      end
      used
    end

    it 'is three to one for weights of three to one' do
      Resque::FairShare.configure { |config| config.weight = ->(partition) { partition == 'big' ? 3 : 1 } }
      [1, 4, 7].each do |workers|
        redis.flushdb
        enqueue('big', 600)
        enqueue('small', 600)
        used = simulate(workers: workers, rounds: 400, duration: ->(_) { 100 })
        expect(used['big'] / used['small']).to be_within(0.3).of(3), "with #{workers} workers: #{used}"
      end
    end

    it 'is equal for a tenant whose jobs take ten times longer' do
      [1, 4].each do |workers|
        redis.flushdb
        enqueue('long', 100)
        9.times { |account| enqueue(account, 400) }
        used = simulate(workers: workers, rounds: 1200, duration: ->(account) { account == 'long' ? 1000 : 100 })
        others = used.except('long').values.sum / 9
        expect(used['long'] / others).to be_within(0.15).of(1), "with #{workers} workers: #{used}"
      end
    end

    it 'is counted in jobs where the configuration says so' do
      Resque::FairShare.configure { |config| config.charge = :jobs }
      enqueue('long', 300)
      enqueue('short', 300)
      used = simulate(workers: 1, rounds: 200, duration: ->(account) { account == 'long' ? 1000 : 100 })
      expect(used['long'] / used['short']).to be_within(1).of(10)
    end
  end

  it 'goes on in the same order after the tags were moved down' do
    10.times { |account| enqueue(account, 3) }
    10.times { |n| end_after(100 * (n + 1), reserve) }
    before = redis.zrange('resque:fair_share:fair:partitions', 0, -1)
    # As after decades: clock and tags far up.
    far = (2**41) + 5
    clock = redis.hget('resque:fair_share:fair:state', 'clock').to_f
    redis.zrange('resque:fair_share:fair:partitions', 0, -1, with_scores: true).each do |member, score|
      redis.zadd('resque:fair_share:fair:partitions', score + (far / (2.0**42)), member)
    end
    redis.hset('resque:fair_share:fair:state', 'clock', clock + far)

    expect(account_of(reserve).to_s).to eq(before.first)
    expect(redis.hget('resque:fair_share:fair:state', 'clock').to_f).to be < 10_000
    after = redis.zrange('resque:fair_share:fair:partitions', 0, -1)
    expect(after - [before.first]).to eq(before - [before.first])
  end
end
