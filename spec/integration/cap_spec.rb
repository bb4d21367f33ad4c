# frozen_string_literal: true

RSpec.describe 'The cap of a partition' do
  def cap(number)
    Resque::FairShare.configure { |config| config.max_in_flight = number }
  end

  # The greatest number of an account's Jobs::Counted that ever ran at once.
  def most(account)
    redis.zscore('resque:spec:most', account).to_i
  end

  def start_workers(count, **options)
    Array.new(count) { WorkerProcess.start('fair', fork_per_job: false, **options) }
  end

  it 'is never exceeded by six workers, is reached, and lets all other tenants go on meanwhile' do
    cap 2
    enqueue('big', 6, job: Jobs::Counted, then: :hold)
    %w[x y z].each { |account| enqueue(account, 8, job: Jobs::Counted, seconds: 0.01) }
    start_workers(3)
    start_workers(3, fork_per_job: true)

    wait_until { holding.size == 2 && done.grep(/\A[xyz]:/).size == 24 }
    expect([in_flight('big'), pending('big'), most('big')]).to eq([2, 4, 2])
    expect_consistent

    let_go(6)
    wait_until { our_keys.empty? }
    expect([most('big'), holding.size]).to eq([2, 6])
    expect(%w[x y z].map { |account| most(account) }).to all(be <= 2)
    expect_drained
  end

  it 'of 1 is kept by 20 processes with 200 jobs (R023)' do
    cap 1
    enqueue('a', 200, job: Jobs::Counted, seconds: 0.01)
    start_workers(20, interval: 0.02)
    wait_until('200 jobs', seconds: 40) { done.size == 200 && our_keys.empty? }
    expect(most('a')).to eq(1)
    expect(done).to eq(Array.new(200) { |n| "a:#{n}" })
    expect_drained
  end

  it 'of 1 is kept by two processes that reserve at the same instants (R025)' do
    cap 1
    enqueue('a', 400)
    pids = Array.new(2) do
      fork do
        200.times do
          next unless (job = reserve)

          running = Resque.redis.incr('spec:running')
          Resque.redis.rpush('spec:overlaps', running) if running > 1
          Resque.redis.decr('spec:running')
          job.perform
        end
      ensure
        exit!
      end
    end
    pids.each { |pid| Process.wait(pid) }
    expect(redis.lrange('resque:spec:overlaps', 0, -1)).to eq([])
    expect(done).to eq(Array.new(done.size) { |n| "a:#{n}" })
    expect_consistent
  end

  it 'holds jobs where they are: they run on their own queue, with no help, when a slot is free (R017)' do
    cap 1
    enqueue('a', 3, then: :hold)
    WorkerProcess.start('fair')
    WorkerProcess.start('fair')
    wait_until { holding.size == 1 }
    expect([Resque.queues, waiting('a'), Resque.size('fair')]).to eq([['fair'], 2, 2])
    [1, 2, 3].each do |nth|
      wait_until { holding.size == nth }
      let_go
    end
    wait_until { our_keys.empty? }
    expect(done.grep(/ended/)).to eq(['a:0 ended', 'a:1 ended', 'a:2 ended'])
  end

  it 'leaves as many tickets as jobs, also when a process asks that has not seen the queue before' do
    cap 1
    enqueue('a', 3)
    reserve
    3.times { Process.wait(fork { reserve || exit!(1) }) }
    expect([Resque.size('fair'), pending('a')]).to eq([2, 2])
  end

  describe 'with one tenant at it, 2,000 jobs waiting and idle workers that poll' do
    # What Redis was asked to do while the block ran: each command, also those inside of scripts, and how often.
    def commands
      before = calls
      yield
      calls.merge(before) { |_, after, earlier| after - earlier }.select { |_, count| count.positive? }
    end

    def calls
      redis.info('commandstats').transform_values { |stat| stat['calls'].to_i }
    end

    before do
      cap 1
      enqueue('a', 1, then: :hold)
      enqueue('a', 2000)
      WorkerProcess.start('fair')
      wait_until { holding.any? }
    end

    # What a number of polls costs: each is one script, and GETs: one in the script, and those of Resque itself.
    def polls(count)
      commands do
        from = calls['evalsha'].to_i
        wait_until { calls['evalsha'].to_i >= from + count }
      end.except('info')
    end

    it 'nothing spins: a poll costs a small constant, and no element is moved (R028)' do
      start_workers(3, interval: 0.01).each { |worker| wait_until { worker.registered? } }
      used = polls(300)

      gets = Resque::VERSION.to_i < 3 ? 3 : 2
      expect(used['evalsha'].fdiv(used['get'] / gets)).to be_within(0.1).of(1)
      expect(used.values.sum.fdiv(used['evalsha'])).to be < 12, used.inspect
      expect(used.keys & %w[lpop rpush lpush lset lrem linsert zadd zrem]).to eq([])
      expect([waiting('a'), in_flight('a'), done]).to eq([2000, 1, %w[a:0]])
    end

    it 'nothing spins when the main list has a ticket too many, either' do
      redis.rpush('resque:queue:fair', 'null')
      start_workers(1, interval: 0.01).each { |worker| wait_until { worker.registered? } }
      polls(100) # enough to look through the list
      used = polls(100)
      expect(used.values.sum.fdiv(used['evalsha'])).to be < 12, used.inspect
    end

    it 'a queue after it is served' do
      Resque.enqueue_to(:other, Jobs::Fair, account_id: 'b', n: 1)
      worker = WorkerProcess.start('fair', 'other', fork_per_job: false)
      wait_until { done.include?('b:1') }
      worker.quit
      expect(in_flight('a')).to eq(1)
    end
  end

  describe 'that is raised' do
    let!(:old) do
      cap 1
      enqueue('a', 5, then: :hold)
      WorkerProcess.start('fair')
    end

    before do
      wait_until { holding.size == 1 }
      cap 3
    end

    it 'lets more run at the next release' do
      4.times { WorkerProcess.start('fair') }
      old.signal(:QUIT)
      let_go
      wait_until { holding.size == 4 }
      expect(in_flight('a')).to eq(3)
      expect_consistent
    end

    it 'lets more run while those that run go on' do
      2.times { WorkerProcess.start('fair') }
      wait_until('two more jobs', seconds: 8) { holding.size == 3 }
      expect(in_flight('a')).to eq(3)
      expect_consistent
    end
  end

  it 'that is lowered lets those that run go on, and no more' do
    cap 3
    enqueue('a', 4)
    jobs = Array.new(3) { reserve }
    cap 1
    2.times { jobs.shift.perform }
    expect([in_flight('a'), reserve]).to eq([1, nil])
    jobs.shift.perform
    expect(reserve.args.first['n']).to eq(3)
    expect_consistent
  end
end
