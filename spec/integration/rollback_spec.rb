# frozen_string_literal: true

require 'support/application'

# Migration.rollback: out of the partitions, back into the plain list, as stock Resque has it.
RSpec.describe 'Migration.rollback' do
  before { configure(charge: :jobs) }

  def configure(**settings)
    Resque::FairShare.configure { |config| settings.each { |name, value| config.public_send(:"#{name}=", value) } }
  end

  def rollback(&)
    Resque::FairShare::Migration.rollback('fair', &)
  end

  # @return [Array<String>] "account:n" of the jobs in the plain list
  def plain
    redis.lrange('resque:queue:fair', 0, -1)
         .map { |payload| JSON.parse(payload)['args'][0].values_at('account_id', 'n').join(':') }
  end

  # What Redis holds now, to come back to.
  def snapshot
    redis.keys.to_h { |key| [key, redis.dump(key)] }
  end

  def back_to(snapshot)
    redis.flushdb
    snapshot.each { |key, value| redis.restore(key, 0, value) }
  end

  # One worker serves all, each job as long as any other.
  def served
    order = []
    while (job = reserve)
      order << job.args[0].values_at('account_id', 'n').join(':')
      job.perform
    end
    order
  end

  def expect_the_order_of_service
    before = snapshot
    expected = served
    back_to(before)
    rollback
    expect(plain).to eq(expected)
  end

  it 'gives the number moved, and leaves nothing of this gem' do
    enqueue('a', 3)
    enqueue('b', 2)
    expect(rollback).to eq(5)
    expect([our_keys, redis.llen('resque:queue:fair')]).to eq([[], 5])
    expect([rollback, plain.size]).to eq([0, 5])
  end

  it 'puts back the bytes that Resque wrote' do
    payloads = [[1, [], {}, 130_775_545_883_395_173], ['a', '😀', "\u0000", 1e-7]].map do |account, *rest|
      item = { class: 'Jobs::Fair', args: [{ account_id: account, rest: rest }], traceparent: '00-ab' }
      Resque.push('fair', item)
      Resque.encode(item)
    end
    rollback
    expect(redis.lrange('resque:queue:fair', 0, -1)).to eq(payloads)
  end

  describe 'the order is that of service' do
    it 'of tenants that came one after the other' do
      { 'a' => 20, 'b' => 3, 'c' => 11 }.each { |account, count| enqueue(account, count) }
      expect_the_order_of_service
      expect(plain.first(9).map { |job| job[0] }.tally).to eq('a' => 3, 'b' => 3, 'c' => 3)
    end

    it 'of tenants of which one was served before' do
      enqueue('a', 12)
      5.times { reserve.perform }
      enqueue('b', 10)
      expect_the_order_of_service
    end

    it 'of weighted tenants' do
      configure(weight: ->(partition) { { 'big' => 3, 'middle' => 2 }.fetch(partition, 1) })
      %w[small middle big].each { |account| enqueue(account, 24) }
      expect_the_order_of_service
      expect(plain.first(24).map { |job| job.split(':').first }.tally).to eq('small' => 4, 'middle' => 8, 'big' => 12)
    end

    it 'with jobs running: their tenants take turns, too' do
      enqueue('a', 11)
      running = [reserve]
      enqueue('b', 10)
      rollback
      expect(plain.first(10).map { |job| job[0] }.tally.values).to all(be_between(4, 6))
      running.each(&:perform)
      expect(our_keys).to eq([])
    end

    it 'with partitions at their cap, or paused: they take turns, too' do
      configure(max_in_flight: 1)
      %w[a b c].each { |account| enqueue(account, 9) }
      running = reserve
      expect(account_of(running)).to eq('a')
      Resque::FairShare.queue('fair').partition('b').pause
      rollback
      expect(plain.first(12).map { |job| job[0] }.tally.values).to all(be_between(3, 5))
      expect(plain.size).to eq(26)
      running.perform
      Resque::FairShare.queue('fair').partition('b').resume
      expect(our_keys).to eq([])
    end
  end

  it 'goes in batches, and tells its progress' do
    enqueue('a', 700)
    enqueue('b', 500)
    seen = []
    expect(rollback { |moved| seen << moved }).to eq(1200)
    expect(seen).to eq([500, 1000, 1200])
  end

  it 'is safe to interrupt (kill -9), and goes on where it was' do
    enqueue('a', 900)
    enqueue('b', 900)
    pid = fork do
      rollback { Process.kill(:KILL, Process.pid) && sleep }
    ensure
      exit!
    end
    expect(Process.wait2(pid).last).to be_signaled
    expect([redis.llen('resque:queue:fair'), rollback]).to eq([1800, 1300])
    expect(plain.tally.values.uniq).to eq([1])
    expect([plain.size, our_keys]).to eq([1800, []])
  end

  it 'keeps what others pushed into the list, and jobs without partition' do
    enqueue('a', 2)
    redis.rpush('resque:queue:fair', Resque.encode(class: 'Jobs::Fair', args: [{ account_id: 'raw', n: 0 }]))
    Resque.enqueue(Jobs::Plain, account_id: 'plain', n: 0)
    expect(rollback).to eq(3)
    expect(plain.sort).to eq(%w[a:0 a:1 plain:0 raw:0])
    expect(our_keys).to eq([])
  end

  it 'is followed by a Migration that finds all again' do
    enqueue('a', 5)
    enqueue('b', 5)
    rollback
    expect(Resque::FairShare::Migration.perform('fair')).to eq(10)
    expect_consistent
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(done.sort).to eq(%w[a b].flat_map { |account| Array.new(5) { |n| "#{account}:#{n}" } })
    expect_drained
  end

  it 'hands over to legacy_scan' do
    enqueue('a', 3)
    rollback
    configure(dequeue_strategy: :legacy_scan)
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(done).to eq(%w[a:0 a:1 a:2])
    expect_drained
  end

  it 'hands over to plain Resque, in an application that has this gem no more' do
    Application.with(:ours) do |app|
      app.run("5.times { |n| %w[a b].each { |id| Resque.enqueue(Sync, account_id: id, n: n) } }\n" \
              "Resque::FairShare::Migration.rollback('fair')")
      app.use(:stock)
      app.run("raise 'has it still' if defined?(Resque::FairShare)\nwork('fair')")
    end
    expect(done).to eq(Array.new(5) { |n| %W[a:#{n} b:#{n}] }.flatten)
    expect(redis.keys.grep(/fair_share|queue:|failed/)).to eq([])
  end

  it 'rolls back what 0.1.0 wrote, each job once' do
    Application.with(:old) do |app|
      app.run("5.times { |n| [1, 'two words'].each { |id| Resque.enqueue(Sync, account_id: id, n: n) } }")
      app.use(:ours)
      app.run("Resque::FairShare::Migration.rollback('fair')")
    end
    expect(plain.sort).to eq([1, 'two words'].flat_map { |id| Array.new(5) { |n| "#{id}:#{n}" } })
    expect(our_keys).to eq([])
  end

  it 'does not put back a job of 0.1.0 that somebody took from the plain list: it is shown in the failed list' do
    Application.with(:old) do |app|
      app.run("5.times { |n| [1, 'two words'].each { |id| Resque.enqueue(Sync, account_id: id, n: n) } }")
      # As a stock worker, or a dequeue of 0.1.0's time, does.
      redis.lpop('resque:queue:fair', 3)
      app.use(:ours)
      expect(app.run("print Resque::FairShare::Migration.rollback('fair')")).to eq('7')
    end
    taken = ['1:0', 'two words:0', '1:1']
    expect(plain.sort).to eq([1, 'two words'].flat_map { |id| Array.new(5) { |n| "#{id}:#{n}" } } - taken)
    expect(failed).to match_array(taken.map { |job| [job, 'Resque::FairShare::CopyGone'] })
    expect(our_keys).to eq([])
  end

  it 'goes on behind a batch of jobs that somebody took' do
    Application.with(:old) do |app|
      app.run("600.times { |n| Resque.enqueue(Sync, account_id: 'a', n: n) }")
      app.use(:ours)
      redis.lpop('resque:queue:fair', 550)
      expect(app.run("print Resque::FairShare::Migration.rollback('fair')")).to eq('50')
    end
    expect(plain).to eq((550...600).map { |n| "a:#{n}" })
    expect([redis.llen('resque:failed'), our_keys]).to eq([550, []])
  end

  it 'moves 100,000 jobs in well under a minute' do
    Array.new(1000) { |n| [{ account_id: "t#{n}" }] }.then do |list|
      100.times { Resque::FairShare.enqueue_all(Jobs::Fair, list) }
    end
    began = now
    expect(rollback).to eq(100_000)
    seconds = now - began
    RSpec.configuration.reporter.message("  100,000 jobs rolled back in #{seconds.round(1)} s")
    expect(seconds).to be < 40
    expect(our_keys).to eq([])
  end
end
