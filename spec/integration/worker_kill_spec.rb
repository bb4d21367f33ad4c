# frozen_string_literal: true

# Every way in which a job can end, and its worker. The cap is 1, so a slot that is not freed stops its tenant.
RSpec.describe 'A job or a worker that ends' do
  before { Resque::FairShare.configure { |config| config.max_in_flight = 1 } }

  # A new worker, whose start prunes the dead, works until nothing is left.
  def drain(**options)
    redis.del('resque:pruning_dead_workers_in_progress')
    WorkerProcess.drain('fair', **options)
  end

  # A worker that kills itself instead of calling one of its methods, or where the block says. Returns when it is dead.
  def worker_that_dies(fork_per_job: true, at: nil)
    WorkerProcess.start('fair', fork_per_job: fork_per_job) do |worker|
      worker.define_singleton_method(at) { |*| Process.kill(:KILL, Process.pid) && sleep } if at
      yield if block_given?
    end.wait
  end

  def die
    Process.kill(:KILL, Process.pid)
    sleep
  end

  [true, false].each do |forking|
    context(forking ? 'with a fork per job' : 'without a fork per job') do
      {
        'is performed' => [Jobs::Fair, nil, %w[a:0], []],
        'raises' => [Jobs::Fair, 'fail', %w[a:0], [%w[a:0 RuntimeError]]],
        'mutates its arguments' => [Jobs::Fair, 'mutate', %w[a:0], []],
        'is refused by a before hook (DontPerform)' => [Jobs::Vetoed, nil, [], []],
        'is not yielded to by an around hook' => [Jobs::NotYielding, nil, [], []]
      }.each do |how, (job, action, ran, failures)|
        it "frees the slot when the job #{how}, and its tenant goes on" do
          enqueue('a', job: job, then: action)
          enqueue('a', 1, n: 1)
          drain(fork_per_job: forking)

          expect(done).to eq(ran + ['a:1'])
          expect(failed).to eq(failures)
          expect_drained
        end
      end

      it 'frees the slot of a worker that was killed before the job began; the job runs once, and first' do
        enqueue('a', 3)
        worker_that_dies(fork_per_job: forking, at: :working_on)
        expect([in_flight('a'), pending('a')]).to eq([1, 2])
        expect_consistent
        # No reserve will look for the dead: the start of a worker has to.
        redis.hset('resque:fair_share:fair:state', 'reconciled', (Time.now.to_i + 600) * 1000)

        drain(fork_per_job: forking)
        expect(done).to eq(%w[a:0 a:1 a:2])
        expect(failed).to eq([])
        expect_drained
      end

      it 'frees the slot of a worker that was killed after the job ended, and does not run it again' do
        enqueue('a', 2)
        worker_that_dies(fork_per_job: forking, at: :done_working)
        expect(in_flight('a')).to eq(1)
        expect_consistent

        drain(fork_per_job: forking)
        expect(done).to eq(%w[a:0 a:1])
        expect(failed).to eq([%w[a:0 Resque::DirtyExit]])
        expect_drained
      end

      it 'leaves all as it was when a worker is killed before it reserved anything' do
        enqueue('a', 1)
        worker_that_dies(fork_per_job: forking, at: :reserve)
        expect([in_flight('a'), pending('a'), leases]).to eq([0, 1, {}])

        drain(fork_per_job: forking)
        expect(done).to eq(%w[a:0])
        expect_drained
      end

      it 'drains with no help after all workers were killed with jobs running (R001, R010)' do
        accounts = %w[a b c]
        accounts.each do |account|
          enqueue(account, 1, then: :hold)
          enqueue(account, 1, n: 1)
        end
        workers = Array.new(3) { WorkerProcess.start('fair', fork_per_job: forking) }
        wait_until { holding.size == 3 }
        (workers.each(&:kill).map(&:pid) + holding).compact.each { |pid| end_orphan(pid) }
        expect_consistent

        drain(fork_per_job: forking)
        expect(done.sort).to eq(%w[a:0 a:1 b:0 b:1 c:0 c:1])
        expect(failed.sort).to eq(accounts.map { |account| ["#{account}:0", 'Resque::DirtyExit'] })
        expect_drained
      end
    end
  end

  # The child of a worker that was killed is nobody's child any more.
  def end_orphan(pid)
    Process.kill(:KILL, pid)
  rescue Errno::ESRCH
    nil
  end

  it 'frees the slot of a child that was killed from outside, once' do
    enqueue('a', 1, then: :hold)
    enqueue('a', 1, n: 1)
    worker = WorkerProcess.start('fair')
    Process.kill(:KILL, wait_until { holding.first })
    wait_until { done.include?('a:1') && leases.empty? }
    worker.quit

    expect(done).to eq(%w[a:0 a:1])
    expect(failed).to eq([%w[a:0 Resque::DirtyExit]])
    expect_drained
  end

  it 'frees the slot of a child that leaves by exit!' do
    enqueue('a', 1, then: :leave)
    enqueue('a', 1, n: 1)
    drain
    expect([done, failed]).to eq([%w[a:0 a:1], []])
    expect_drained
  end

  it 'frees the slot of a worker that leaves by exit! within the job; Resque fails the job' do
    enqueue('a', 1, then: :leave)
    enqueue('a', 1, n: 1)
    worker_that_dies(fork_per_job: false)
    drain
    expect([done, failed]).to eq([%w[a:0 a:1], [%w[a:0 Resque::DirtyExit]]])
    expect_drained
  end

  it 'frees the slot of a worker that was killed between its record and the fork; Resque fails the job' do
    enqueue('a', 2)
    worker_that_dies { Resque.before_fork { die } }
    expect(in_flight('a')).to eq(1)

    drain
    expect(done).to eq(%w[a:1])
    expect(failed).to eq([%w[a:0 Resque::DirtyExit]])
    expect_drained
  end

  it 'survives a worker that was killed before it was registered (R008)' do
    worker_that_dies { Resque.before_first_fork { die } }
    expect(redis.hlen('resque:workers:heartbeat')).to eq(1)
    enqueue('a', 1)
    drain
    expect(done).to eq(%w[a:0])
    expect_drained
  end

  it 'frees the slot of a killed worker and fails its job before a worker starts, whose prune does neither again' do
    enqueue('a', 1, then: :hold)
    enqueue('a', 1, n: 1, then: :hold)
    worker = WorkerProcess.start('fair')
    orphan = wait_until { holding.first }
    worker.kill

    # Within heartbeat_interval of a prune there is no other.
    expect(redis.exists?('resque:pruning_dead_workers_in_progress')).to be(true)
    second = WorkerProcess.start('fair')
    wait_until { holding.size == 2 }
    expect([failed, in_flight('a'), leases.size]).to eq([[%w[a:0 Resque::DirtyExit]], 1, 1])

    redis.del('resque:pruning_dead_workers_in_progress')
    third = WorkerProcess.start('fair')
    wait_until { third.registered? }
    expect([failed, in_flight('a'), leases.size]).to eq([[%w[a:0 Resque::DirtyExit]], 1, 1])

    end_orphan(orphan)
    let_go(2) # one for the dead, whom Redis may not have missed yet
    wait_until { our_keys.empty? }
    [second, third].each(&:quit)
    expect(done).to start_with('a:0', 'a:1')
    expect(done).to include('a:1 ended')
    expect_drained
  end

  it 'lets the orphan of a killed worker run to its end, which frees no slot a second time' do
    enqueue('a', 1, then: :hold)
    enqueue('a', 2, then: :hold)
    WorkerProcess.start('fair').then { |worker| wait_until { holding.first } && worker.kill }
    redis.del('resque:pruning_dead_workers_in_progress')
    WorkerProcess.start('fair')
    wait_until { holding.size == 2 }
    # The first to wait is the first to be let go.
    let_go
    wait_until { done.include?('a:0 ended') }
    wait_until { !File.exist?("/proc/#{holding.first}") }
    expect([in_flight('a'), pending('a'), holding.size]).to eq([1, 1, 2])
    expect_consistent
  end

  describe 'hooks on failure' do
    it 'frees the slot once when one kills the child (R018)' do
      enqueue('a', job: Jobs::DyingInFailureHook, then: :fail, deaths: 1)
      enqueue('a', 1, n: 1)
      drain
      expect(redis.get('resque:spec:hook')).to eq('2') # in the child, and for its DirtyExit in the worker
      expect([done, failed]).to eq([%w[a:0 a:1], [%w[a:0 Resque::DirtyExit]]])
      expect_drained
    end

    it 'frees the slot once when one kills the child and then the worker' do
      enqueue('a', job: Jobs::DyingInFailureHook, then: :fail, deaths: 2)
      enqueue('a', 1, n: 1)
      worker_that_dies
      expect([in_flight('a'), failed]).to eq([1, []])
      drain
      expect([done, failed]).to eq([%w[a:0 a:1], [%w[a:0 Resque::DirtyExit]]])
      expect_drained
    end
  end

  it 'is told of a failure twice and counts it once (R020)' do
    Resque::FairShare.configure { |config| config.max_in_flight = 2 }
    enqueue('a', 2, then: :fail)
    job = reserve
    reserve
    error = begin
      job.perform
    rescue RuntimeError => e
      e
    end
    expect(in_flight('a')).to eq(1)
    2.times { job.fail(error) }
    expect([in_flight('a'), leases.size, failed.size]).to eq([1, 1, 2])
  end

  it 'frees the slot of Resque::Worker#process and of a pop that was made into a job by hand' do
    enqueue('a', 3)
    Resque::Worker.new('fair').tap { |worker| worker.fork_per_job = false }.process
    expect([in_flight('a'), done]).to eq([0, %w[a:0]])

    Resque::Job.new('fair', Resque.pop('fair')).perform
    expect([in_flight('a'), done]).to eq([0, %w[a:0 a:1]])

    reserve.perform
    expect(done).to eq(%w[a:0 a:1 a:2])
    expect_drained
  end
end
