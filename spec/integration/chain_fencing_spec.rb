# frozen_string_literal: true

# A transition counts for the run, the step and the attempt that its job carries, and once.
RSpec.describe 'A chain is moved on by the right job only' do
  before { record_events }

  # A job that has lost its token: a plugin enqueued it again by its class and arguments.
  def without_token(payload)
    payload.except('job_chain')
  end

  def push(payload)
    redis.rpush('resque:queue:steps', JSON.generate(payload))
  end

  def expect_stale_only
    expect(events).to eq([['step_stale', 'c', 0]])
  end

  it 'a payload carries run, step and token outside the arguments' do
    start_chain('c', { n: 1 })
    payload = queued.first
    expect(payload['job_chain']).to match(['c', status['run'], 0, 1])
    expect(payload['args']).to eq([{ 'n' => 1, '_chain_id' => 'c', '_step_index' => 0 }])
  end

  it 'and not by a job of an earlier attempt' do
    start_chain('c', { does: 'fail_at_first', on_failure: :retry }, {})
    old = queued.first
    job = take
    expect { job.perform }.to raise_error('try 1')
    expect(queued.first['job_chain'].last).to eq(2)
    events
    redis.del('resque:queue:steps')
    push(old)
    take.perform
    expect_stale_only
    expect([status['status'], status['current_step'], done.size]).to eq(['running', '0', 1])
  end

  it 'and not by a late failure of an earlier attempt, as a pruned worker reports it' do
    start_chain('c', { does: 'fail_at_first', on_failure: :retry, max_attempts: 2 }, {})
    old = queued.first
    expect { take.perform }.to raise_error('try 1')
    events
    Resque::Job.new('steps', old).fail(Resque::PruneDeadWorkerDirtyExit.new('host:1:steps', nil))
    expect_stale_only
    expect([status['status'], status['attempts:0']]).to eq(%w[running 1])
    work_off
    expect(status['status']).to eq('completed')
  end

  it 'and once by a failure that is told twice, by the child and by its parent' do
    start_chain('c', { does: 'fail', on_failure: :retry, max_attempts: 5 })
    job = take
    twin = Resque::Job.new('steps', job.payload)
    expect { job.perform }.to raise_error('told to fail')
    job.fail(RuntimeError.new('told to fail'))
    twin.fail(Resque::DirtyExit.new('killed'))
    expect([status['attempts:0'], queued.size]).to eq(['1', 1])
  end

  it 'and not by a job of a chain that was deleted and started again' do
    start_chain('c', { n: 1 }, {})
    old = take
    Resque::JobChain.cancel('c')
    Resque::JobChain.delete('c')
    start_chain('c', { n: 2 }, {})
    events
    expect(old.perform).to be(false)
    expect_stale_only
    expect([done, status['current_step'], queued.size]).to eq([[], '0', 1])
  end

  it 'and not by one of them that ran meanwhile' do
    start_chain('c', { does: 'hold' }, {})
    worker = WorkerProcess.start('steps')
    wait_until { holding_steps == ['0'] }
    Resque::JobChain.cancel('c')
    Resque::JobChain.delete('c')
    start_chain('c', { n: 2 }, {}, queue: :others)
    redis.rename('resque:queue:steps', 'resque:spec:kept')
    events
    let_step_go(0)
    wait_until { events.include?(['step_stale', 'c', 0]) }
    expect([status['status'], status['current_step']]).to eq(%w[running 0])
    worker.quit
  end

  it 'and not by a job of a chain that is gone, which changes nothing at all' do
    start_chain('c', {}, {})
    job = take
    redis.del('resque:job_chain:c:state', 'resque:job_chain:c:steps', 'resque:job_chain:c:context')
    events
    expect(job.perform).to be(false)
    expect_stale_only
    expect(chain_keys).to eq(%w[resque:job_chain:running])
  end

  describe 'without token' do
    it 'a completion counts for the step that it names, once' do
      start_chain('c', {}, {}, {})
      payload = without_token(queued.first)
      redis.del('resque:queue:steps')
      2.times { push(payload) }
      work_off
      expect([status['status'], done]).to eq(['completed', %w[c:0 c:0 c:1 c:2]])
      expect(events.count(['step_stale', 'c', 0])).to eq(1)
    end

    it 'a completion of another step is stale' do
      start_chain('c', {}, {}, {})
      payload = without_token(queued.first)
      work_off
      events
      push(payload)
      work_off
      expect_stale_only
    end

    it 'a job of a cancelled chain is not performed' do
      start_chain('c', {}, {})
      payload = without_token(queued.first)
      Resque::JobChain.cancel('c')
      push(payload)
      work_off
      expect(done).to eq([])
    end

    it 'a failed job that is requeued from the failed list resumes its failed chain' do
      start_chain('c', {}, { does: 'fail_at_first' }, {})
      work_off
      expect(status['status']).to eq('failed')
      events
      Resque::Failure.requeue(0)
      work_off
      expect(events).to eq([['step_completed', 'c', 1], %w[chain_resumed c], ['step_completed', 'c', 2],
                            %w[chain_completed c]])
      expect([status['status'], status.keys.grep(/error|failures/), redis.ttl('resque:job_chain:c:steps')])
        .to match(['completed', [], be_positive])
    end

    it 'one that fails again leaves it failed' do
      start_chain('c', { does: 'fail' }, {})
      work_off
      Resque::Failure.requeue(0)
      work_off
      expect([status['status'], failures.size, queued]).to eq(['failed', 2, []])
    end

    it 'one that was requeued while its chain went on by a retry is counted once' do
      start_chain('c', { does: 'fail_at_first', on_failure: :retry }, {})
      take.then do |job|
        job.perform
      rescue RuntimeError => e
        job.fail(e)
      end
      Resque::Failure.requeue(0)
      work_off
      expect([status['status'], done.count('c:1')]).to eq(['completed', 1])
    end
  end

  describe 'and does not go on, and does not fail, after' do
    def expect_unchanged
      work_off
      expect([status['status'], status['current_step'], step_statuses.first, done, failures])
        .to eq(['running', '0', 'running', [], []])
      expect(events).to eq([%w[chain_started c]])
    end

    it 'DontPerform' do
      start_chain('c', {}, {}, job: Jobs::StepNotWanted)
      expect_unchanged
    end

    it 'DontPerform, with a logger that has info and error only' do
      Resque::JobChain.configure do |config|
        config.logger = Class.new { %i[info error].each { |name| define_method(name) { |*| nil } } }.new
      end
      start_chain('c', {}, {}, job: Jobs::StepNotWanted)
      expect_unchanged
    end

    it 'an around hook that does not yield, although Resque runs the after hooks' do
      start_chain('c', {}, {}, job: Jobs::StepNotYielded)
      expect_unchanged
    end

    it 'an exception whose class is named Continuation::Interrupt' do
      stub_const('Continuation::Interrupt', Class.new(StandardError))
      stub_const('Jobs::Interrupted', Class.new(Jobs::Step) { def self.perform(*) = raise(Continuation::Interrupt) })
      start_chain('c', {}, {}, job: Jobs::Interrupted)
      work_off
      expect([status['status'], step_statuses.first, events]).to eq(['running', 'running', [%w[chain_started c]]])
    end

    it 'one that descends from such a class, of another module' do
      stub_const('ActiveJob::Continuation::Interrupt', Class.new(RuntimeError))
      stub_const('Jobs::Stopped', Class.new(ActiveJob::Continuation::Interrupt))
      stub_const('Jobs::Interrupted', Class.new(Jobs::Step) { def self.perform(*) = raise(Jobs::Stopped) })
      start_chain('c', {}, {}, job: Jobs::Interrupted)
      work_off
      expect([status['status'], events]).to eq(['running', [%w[chain_started c]]])
    end
  end

  it 'by its job although that has changed its arguments' do
    start_chain('c', { does: 'mutate' }, {})
    work_off
    expect([status['status'], done]).to eq(['completed', %w[c:0 c:1]])
  end

  it 'once, when another plugin fails the job after it was performed' do
    stub_const('Jobs::BadAfter', Class.new(Jobs::Step) do
      def self.after_perform_zz(params)
        raise 'a bad after hook' if params['_step_index'].zero? && Resque.redis.incr('spec:bad') == 1
      end
    end)
    start_chain('c', { on_failure: :retry }, {}, job: Jobs::BadAfter)
    work_off
    expect([status['status'], done, failures]).to eq(['completed', %w[c:0 c:0 c:1], ['a bad after hook']])
  end

  describe 'when a child' do
    it 'is killed: the step fails once, as Resque says it does' do
      start_chain('c', { does: 'kill_self' }, {})
      WorkerProcess.drain('steps')
      expect([status['status'], status['error_class'], done]).to eq(['failed', 'Resque::DirtyExit', %w[c:0]])
    end

    it 'is killed, the step is tried again as often as it may, and a crash counts' do
      start_chain('c', { does: 'kill_self', on_failure: :retry, max_attempts: 3 }, {})
      WorkerProcess.drain('steps')
      expect([status['status'], status['attempts:0'], done.size]).to eq(['failed', '3', 3])
    end

    it 'is killed, the step may be skipped' do
      start_chain('c', { does: 'kill_self', on_failure: :skip }, {})
      WorkerProcess.drain('steps')
      expect([status['status'], step_statuses]).to eq(['completed', %w[skipped completed]])
    end
  end

  it 'by one of two processes that start it at once: true once' do
    20.times do |n|
      reader, writer = IO.pipe
      pids = Array.new(2) do
        fork do
          Resque.redis = REDIS_URL
          writer.write(start_chain("r#{n}", {}) ? '1' : '0')
        ensure
          exit!
        end
      end
      pids.each { |pid| Process.wait(pid) }
      writer.close
      expect(reader.read.chars.sort).to eq(%w[0 1])
    end
    expect(queued.size).to eq(20)
  end
end
