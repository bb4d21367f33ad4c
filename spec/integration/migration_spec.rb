# frozen_string_literal: true

require 'support/application'

# Migration.perform: the plain backlog into the partitions.
RSpec.describe 'Migration' do
  before do
    # Not of this gem: only the key in its arguments tells the partition.
    stub_const('Unaware', Class.new do
      extend Jobs::Noting

      define_singleton_method(:perform) { |params| note("#{params['account_id']}:#{params['n']}") }
    end)
  end

  def payload(account, number, job: 'Unaware', key: :account_id)
    Resque.encode(class: job, args: [{ key => account, n: number }])
  end

  # What stock Resque wrote.
  def backlog(accounts, jobs, **more)
    numbers = Array.new(jobs) { |n| n }
    payloads = numbers.flat_map { |n| accounts.map { |account| payload(account, n, **more) } }
    redis.sadd('resque:queues', ['fair'])
    payloads.each_slice(5000) { |slice| redis.rpush('resque:queue:fair', slice) }
    accounts.flat_map { |account| numbers.map { |n| "#{account}:#{n}" } }
  end

  # Twice, as 0.1.0 wrote it; `upgrade_spec` has it from the real 0.1.0.
  def written_by_old_gem(accounts, jobs)
    backlog(accounts, jobs).each do |job|
      account, number = job.split(':')
      redis.rpush("resque:fair_share:fair:sub:#{account}", payload(account, number.to_i))
      redis.zadd('resque:fair_share:fair:partitions', 0, account, nx: true)
      redis.incr("resque:fair_share:fair:#{account}:pending")
    end
  end

  def migrate(...)
    Resque::FairShare::Migration.perform('fair', ...)
  end

  def expect_each_once(jobs)
    expect(done.tally.select { |_, times| times > 1 }).to eq({}), 'run twice'
    expect(done.sort).to eq(jobs.sort)
    expect_drained
  end

  # A process that is killed (kill -9) in the middle of its work.
  def killed_after(batches)
    pid = fork do
      seen = 0
      migrate { Process.kill(:KILL, Process.pid) && sleep if (seen += 1) == batches }
    ensure
      exit!
    end
    Process.wait2(pid).last
  end

  it 'moves a plain backlog, and gives the number moved' do
    jobs = backlog(%w[a b c], 10)
    expect(migrate).to eq(30)
    expect(redis.lrange('resque:queue:fair', 0, -1)).to eq(['null'] * 30)
    expect(redis.lrange('resque:fair_share:fair:sub:b', 0, -1).map { |element| element[11..] })
      .to eq(Array.new(10) { |n| payload('b', n) })
    expect_consistent
    WorkerProcess.drain('fair', fork_per_job: false)
    expect_each_once(jobs)
  end

  it 'takes turns afterwards, though one tenant came first with all of its jobs' do
    backlog(%w[big], 100)
    backlog(%w[small], 3)
    migrate
    expect(Array.new(6) { account_of(reserve) }.tally).to eq('big' => 3, 'small' => 3)
  end

  it 'takes the partition from the key that is given, else from the class, else from the configured key' do
    backlog(%w[a], 2, key: :org_id)
    expect(migrate(partition_key: :org_id)).to eq(2)
    expect(pending('a')).to eq(2)

    stub_const('ByBlock', Class.new do
      extend Resque::Plugins::FairShare

      fair_share_on { |args| args[0]['org_id'].upcase }
    end)
    backlog(%w[b], 3, key: :org_id, job: 'ByBlock')
    backlog(%w[c], 4)
    expect(migrate).to eq(7)
    expect([pending('B'), pending('c')]).to eq([3, 4])
    expect_consistent
  end

  it 'lets jobs without partition, and what is no job, into the lane, each once' do
    backlog(%w[a], 1)
    2.times { |n| redis.rpush('resque:queue:fair', Resque.encode(class: 'Jobs::Plain', args: [n])) }
    redis.rpush('resque:queue:fair', 'not json')
    expect(migrate).to eq(4)
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(redis.llen('resque:failed')).to eq(1)
    expect_each_once(%w[a:0 plain:0 plain:1])
  end

  it 'refuses wrong arguments, naming them, before anything is moved' do
    backlog(%w[a], 2)
    [nil, '', 5, %w[fair]].each do |wrong|
      named = /queue is #{Regexp.escape(wrong.inspect)};/
      expect { Resque::FairShare::Migration.perform(wrong) }.to raise_error(ArgumentError, named)
      expect { Resque::FairShare::Migration.rollback(wrong) }.to raise_error(ArgumentError, named)
    end
    ['', :'', 5, %w[id]].each do |wrong|
      expect { migrate(partition_key: wrong) }
        .to raise_error(ArgumentError, /partition_key is #{Regexp.escape(wrong.inspect)};/)
    end
    expect([our_keys, redis.llen('resque:queue:fair')]).to eq([[], 2])
  end

  it 'goes in batches, and tells its progress' do
    backlog(%w[a b], 600)
    seen = []
    expect(migrate { |moved| seen << moved }).to eq(1200)
    expect(seen).to eq([500, 1000, 1200])
  end

  it 'is safe to repeat' do
    jobs = backlog(%w[a b], 20)
    expect([migrate, migrate, migrate]).to eq([40, 0, 0])
    backlog(%w[c], 1)
    expect(migrate).to eq(1)
    expect_consistent
    WorkerProcess.drain('fair', fork_per_job: false)
    expect_each_once(jobs + ['c:0'])
  end

  it 'is safe to interrupt (kill -9), and goes on where it was' do
    jobs = backlog(%w[a b c], 1000)
    expect(killed_after(2)).to be_signaled
    expect_consistent
    expect(redis.llen('resque:queue:fair')).to eq(3000)
    expect([killed_after(1).signaled?, migrate]).to eq([true, 1500])
    expect_consistent
    WorkerProcess.drain('fair', fork_per_job: false)
    expect_each_once(jobs)
  end

  it 'moves what 0.1.0 wrote twice, each job once, in its order' do
    jobs = written_by_old_gem(%w[a b], 700)
    expect(migrate).to eq(1400)
    expect_consistent
    expect(redis.lrange('resque:fair_share:fair:sub:a', 0, -1).map { |element| element[11..] })
      .to eq(Array.new(700) { |n| payload('a', n) })
    WorkerProcess.drain('fair', fork_per_job: false)
    expect_each_once(jobs)
  end

  it 'moves each job once that 0.1.0\'s own migration had copied again' do
    jobs = written_by_old_gem(%w[a], 30)
    30.times { |n| redis.rpush('resque:fair_share:fair:sub:a', payload('a', n)) }
    migrate
    WorkerProcess.drain('fair', fork_per_job: false)
    expect_each_once(jobs)
  end

  {
    'a plain backlog' => :backlog,
    'a backlog of 0.1.0' => :written_by_old_gem
  }.each do |name, write|
    it "moves #{name} while workers run and jobs come in" do
      jobs = send(write, %w[a b c], 400)
      workers = Array.new(2) { WorkerProcess.start('fair', interval: 0.01, fork_per_job: false) }
      wait_until('running workers') { done.size > 20 }
      migrate do
        enqueue("new#{jobs.size}", 5)
        jobs += Array.new(5) { |n| "new#{jobs.size}:#{n}" }
      end
      wait_until('all jobs', seconds: 60) { done.size >= jobs.size && our_keys.empty? }
      workers.each(&:quit)
      expect_each_once(jobs)
    end
  end

  it 'moves what the real 0.1.0 wrote, ids with spaces and colons too, and its leftover counters go' do
    tenants = [1, 'two words', 'a:b', 'sub']
    Application.with(:old) do |app|
      app.run("20.times { |n| #{tenants.inspect}.each { |id| Resque.enqueue(Sync, account_id: id, n: n) } }")
      redis.set('resque:fair_share:fair:1:in_flight', 1)
      app.use(:ours)
      expect(app.run("print Resque::FairShare::Migration.perform('fair')")).to eq('80')
      expect_consistent
      app.run("work('fair')")
    end
    expect_each_once(tenants.flat_map { |id| Array.new(20) { |n| "#{id}:#{n}" } })
  end

  {
    '1,000 tenants' => Array.new(1000) { |n| "t#{n}" },
    'one tenant' => %w[only]
  }.each do |name, accounts|
    it "moves 100,000 jobs of #{name} in well under a minute" do
      backlog(accounts, 100_000 / accounts.size)
      began = now
      expect(migrate).to eq(100_000)
      seconds = now - began
      RSpec.configuration.reporter.message("  100,000 jobs of #{name} migrated in #{seconds.round(1)} s")
      expect(seconds).to be < 40
      expect(redis.llen('resque:queue:fair')).to eq(100_000)
      expect(Resque::FairShare.queue('fair').stats).to include(pending: 100_000, partitions: accounts.size)
    end
  end

  it 'moves 100,000 plain jobs that have no partition as fast' do
    payloads = Array.new(100_000) { |n| Resque.encode(class: 'Jobs::Plain', args: [n]) }
    payloads.each_slice(5000) { |slice| redis.rpush('resque:queue:fair', slice) }
    began = now
    expect(migrate).to eq(100_000)
    expect(now - began).to be < 40
  end
end
