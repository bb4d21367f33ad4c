# frozen_string_literal: true

require 'support/application'

# A shop moves from resque-fair-share 0.1.0 by one line of its Gemfile. The state is written by the real 0.1.0, in
# processes of its own; then the same application, with our gem, works it off. Its Resque is 2.7, whatever
# this bundle has.
RSpec.describe 'The upgrade from resque-fair-share 0.1.0' do
  around { |example| Application.with(:old, resque: '~> 2.7.0') { |app| (@app = app) && example.run } }

  attr_reader :app

  let(:all) { [1, 'acme', 'two words', 'a:b', 'sub', 'Ünï 😀'] }

  def enqueue_old(tenants: all, jobs: 0...5, **more)
    app.run(<<~RUBY)
      (#{jobs.inspect}).each do |n|
        #{tenants.inspect}.each { |id| Resque.enqueue(Sync, { account_id: id, n: n }.merge(#{more.inspect})) }
      end
    RUBY
    tenants.flat_map { |id| jobs.map { |n| "#{id}:#{n}" } }
  end

  # The worker is started as always: nothing but the line has changed.
  def upgrade_and_work
    app.use(:ours)
    app.run("work('fair')")
  end

  def expect_each_once(jobs)
    expect(done.tally.select { |_, times| times > 1 }).to eq({}), 'run twice'
    expect(done.sort).to eq(jobs.sort)
    expect(redis.lrange('resque:failed', 0, -1)).to eq([])
    expect_drained
  end

  it 'runs on the real 0.1.0, and then on this gem, with Resque 2.7' do
    versions = 'print Resque::VERSION[/\A\d+\.\d+/], " ", Resque::FairShare::VERSION'
    expect(app.run(versions)).to eq('2.7 0.1.0')
    app.use(:ours)
    expect(app.run(versions)).to eq("2.7 #{Resque::FairShare::VERSION}")
  end

  it 'runs each waiting job once, and leaves no key' do
    jobs = enqueue_old
    expect(redis.llen('resque:queue:fair')).to eq(30)
    expect(redis.lrange('resque:fair_share:fair:sub:two words', 0, -1).size).to eq(5)
    upgrade_and_work
    expect_each_once(jobs)
  end

  it 'keeps the order inside a partition, and takes turns between them, in a long backlog' do
    jobs = enqueue_old(tenants: %w[big], jobs: 0...300) + enqueue_old(tenants: %w[small], jobs: 0...20)
    upgrade_and_work
    expect(done.grep(/big/)).to eq(Array.new(300) { |n| "big:#{n}" })
    expect(done.grep(/small/)).to eq(Array.new(20) { |n| "small:#{n}" })
    expect(done.index('small:19')).to be < 60
    expect_each_once(jobs)
  end

  it 'serves the old backlog and what this gem enqueues, each job once' do
    jobs = enqueue_old(jobs: 0...20)
    app.use(:ours)
    app.run("#{all.inspect}.each { |id| 20.upto(24) { |n| Resque.enqueue(Sync, account_id: id, n: n) } }")
    app.run("work('fair')")
    expect_each_once(jobs + all.flat_map { |id| (20..24).map { |n| "#{id}:#{n}" } })
  end

  it 'keeps the cap' do
    enqueue_old(tenants: %w[a b], jobs: 0...5)
    app.use(:ours)
    printed = app.run(<<~RUBY)
      Resque::FairShare.configure { |config| config.max_in_flight = 2 }
      Resque.data_store.register_worker(Resque::Worker.new('fair')) # looks, as each worker does when it starts
      print Array.new(6) { Resque.reserve('fair') }.compact.map { |job| job.args[0]['account_id'] }.sort.join
    RUBY
    expect(printed).to eq('aabb')
  end

  it 'is not held up by the counters of a worker of 0.1.0 that was killed (kill -9)' do
    jobs = enqueue_old(tenants: %w[a b], jobs: 0...1, seconds: 30)
    old = Array.new(2) { app.start("work('fair')") }
    wait_until('two running jobs') { done.size == 2 }
    old.each { |pid| app.kill(pid) }
    expect([in_flight('a'), in_flight('b')]).to eq([1, 1])
    jobs += enqueue_old(tenants: %w[a b], jobs: 1...4)

    app.use(:ours)
    app.run("Resque::FairShare.configure { |config| config.max_in_flight = 1 }\nwork('fair')")
    expect(done.sort).to eq(jobs.sort)
    expect(in_flight('a')).to eq(0)
    expect_drained
  end

  it 'is not held up by such a counter of a tenant that comes back later' do
    enqueue_old(tenants: %w[a], jobs: 0...1, seconds: 30)
    old = app.start("work('fair')")
    wait_until('a running job') { done.size == 1 }
    app.kill(old)
    expect(in_flight('a')).to eq(1)

    app.use(:ours)
    app.run("Resque::FairShare.configure { |config| config.max_in_flight = 1 }\n" \
            "Resque.enqueue(Sync, account_id: 'a', n: 1)\nwork('fair')")
    expect(done).to eq(%w[a:0 a:1])
    expect_drained
  end

  it 'lives with processes of 0.1.0 that go on enqueueing: each job runs once' do
    enqueue_old(tenants: %w[x], jobs: 0...1)
    app.use(:ours)
    workers = Array.new(2) { app.start("work('fair', interval: 0.01)") }
    wait_until('the first job') { done.size == 1 }
    Application.with(:old, resque: '~> 2.7.0') do |other|
      other.run(<<~RUBY)
        400.times { |n| Resque.enqueue(Sync, account_id: [1, 'two words', 'a:b', 'acme'][n % 4], n: n) }
      RUBY
    end
    wait_until('all jobs', seconds: 60) { done.size >= 401 && our_keys.empty? && redis.llen('resque:queue:fair').zero? }
    workers.each { |pid| app.kill(pid) }
    expect(done.tally.select { |_, times| times > 1 }).to eq({}), 'run twice'
    expect(done.size).to eq(401)
    # What fails is at the most a second copy that came late.
    failures = redis.lrange('resque:failed', 0, -1).map { |entry| JSON.parse(entry)['exception'] }
    expect(failures - ['Resque::FairShare::CopyGone']).to eq([])
  end
end
