# frozen_string_literal: true

begin
  require 'resque-scheduler'
rescue LoadError
  # There is none for this Ruby and this Resque.
end

# `recover` finds steps whose job is nowhere, and only those.
RSpec.describe 'Resque::JobChain.recover' do
  before { record_events }

  def recover(older_than: 0)
    Resque::JobChain.recover(older_than: older_than)
  end

  def expect_nothing_to_do
    before = [status, queued]
    expect(recover).to eq([])
    expect([status, queued]).to eq(before)
  end

  it 'starts a step again whose queue was deleted, with a new attempt' do
    start_chain('c', {}, {})
    old = take
    events
    expect(recover).to eq(['c'])
    expect([queued.first['job_chain'].last, status['attempts:0'], events]).to eq([2, '1', [%w[chain_recovered c]]])
    expect(old.perform).to be(false)
    work_off
    expect([status['status'], done]).to eq(['completed', %w[c:0 c:1]])
    expect_nothing_to_do
  end

  it 'starts a step again whose child left by exit!' do
    start_chain('c', {}, { does: 'leave' }, {})
    WorkerProcess.drain('steps')
    expect([status['current_step'], queued]).to eq(['1', []])
    expect(recover).to eq(['c'])
    expect(queued.size).to eq(1)
  end

  it 'starts a step again whose worker was killed, when that is known' do
    start_chain('c', { does: 'hold' }, {})
    worker = WorkerProcess.start('steps', fork_per_job: false)
    wait_until { holding_steps.any? }
    worker.kill
    worker.kill_orphans
    expect_nothing_to_do # its record is there
    redis.del("resque:worker:#{worker.id}")
    redis.srem('resque:workers', [worker.id])
    expect(recover).to eq(['c'])
    let_step_go(0)
    work_off
    expect(status['status']).to eq('completed')
  end

  it 'starts a step again that was not performed' do
    start_chain('c', {}, job: Jobs::StepNotWanted)
    work_off
    expect([recover, queued.size]).to eq([['c'], 1])
  end

  it 'starts only the members of a group that need it' do
    Resque::JobChain.build('c') { |chain| chain.parallel { |group| 3.times { group.step(Jobs::Step) } } }.start!
    take.perform
    take
    expect(recover).to eq(['c'])
    expect(queued.map { |job| job['job_chain'].last(2) }.sort).to eq([[1, 2], [2, 1]])
    work_off
    expect([status['status'], done.sort]).to eq(['completed', %w[c:0 c:1 c:2]])
  end

  it 'puts a step of a fair-share class back into its partition' do
    start_chain('c', { account_id: 'a' }, job: Jobs::FairStep)
    Resque::FairShare.queue('fair').partition('a').clear
    expect(recover).to eq(['c'])
    expect(waiting('a')).to eq(1)
    expect_consistent
  end

  it 'leaves the chain of a step that can’t be started from this process as it is, and does not name it' do
    stub_const('Jobs::Gone', Class.new(Jobs::Step))
    start_chain('c', {}, job: Jobs::Gone)
    redis.del('resque:queue:steps')
    hide_const('Jobs::Gone')
    expect([recover, status['status'], status['error_class']]).to eq([[], 'running', nil])
  end

  describe 'leaves alone a step whose job is' do
    it 'queued' do
      start_chain('c', {}, {})
      expect_nothing_to_do
    end

    it 'queued in its partition, or in the lane of a fair queue' do
      start_chain('c', { account_id: 'a' }, job: Jobs::FairStep)
      start_chain('d', { queue: :fair })
      expect(recover).to eq([])
    end

    it 'queued in its partition, parked' do
      Resque::FairShare.queue('fair').partition('a').pause
      start_chain('c', { account_id: 'a' }, job: Jobs::FairStep)
      expect_nothing_to_do
    end

    it 'queued behind many others' do
      2500.times { redis.rpush('resque:queue:steps', '{"class":"Jobs::Step","args":[]}') }
      start_chain('c', {})
      100.times { redis.rpush('resque:queue:steps', '{"class":"Jobs::Step","args":[]}') }
      expect(recover).to eq([])
    end

    it 'queued without its token, as a plugin put it back' do
      start_chain('c', {})
      job = take
      Resque.enqueue(Jobs::Step, *job.args)
      expect_nothing_to_do
    end

    it 'running, by a worker’s record' do
      start_chain('c', { does: 'hold' })
      WorkerProcess.start('steps')
      wait_until { holding_steps.any? }
      expect_nothing_to_do
    end

    it 'running, by its lease' do
      start_chain('c', { account_id: 'a' }, job: Jobs::FairStep)
      take('fair')
      expect_nothing_to_do
    end

    it 'in the failed list, where its chain was not told' do
      start_chain('c', {})
      payload = queued.first
      redis.del('resque:queue:steps')
      Resque::Failure.create(payload: payload, exception: RuntimeError.new('x'), worker: nil, queue: 'steps')
      expect_nothing_to_do
    end

    it 'delayed by resque-scheduler', if: defined?(Resque::Scheduler) do
      start_chain('c', { does: 'fail', on_failure: :retry, retry_delay: 600 })
      work_off
      expect([Resque.delayed_queue_schedule_size, status['status']]).to eq([1, 'running'])
      expect_nothing_to_do
    end
  end

  it 'does not take the failure of an earlier attempt for the job' do
    start_chain('c', { does: 'fail_at_first', on_failure: :retry })
    job = take
    begin
      job.perform
    rescue RuntimeError => e
      job.fail(e)
    end
    redis.del('resque:queue:steps')
    expect(recover).to eq(['c'])
  end

  it 'leaves chains alone that are paused, cancelled, failed or completed' do
    %w[pause cancel].each { |verb| start_chain(verb, {}) && Resque::JobChain.public_send(verb, verb) }
    start_chain('failed', { does: 'fail' })
    start_chain('completed', {})
    work_off
    expect(recover).to eq([])
  end

  it 'leaves chains alone whose last transition is younger than that' do
    start_chain('c', {})
    redis.del('resque:queue:steps')
    expect(recover(older_than: 60)).to eq([])
    redis.hset('resque:job_chain:c:state', 'updated_at', (Time.now.utc - 120).iso8601)
    redis.zadd('resque:job_chain:running', (Time.now.to_f * 1000) - 120_000, 'c')
    expect(recover(older_than: 60)).to eq(['c'])
  end

  it 'finds many at once' do
    ids = Array.new(30) { |n| "c#{n}".tap { |id| start_chain(id, { queue: n.even? ? :steps : :others }) } }
    redis.del('resque:queue:others')
    expect(recover).to match_array(ids.select { |id| id[1..].to_i.odd? })
  end

  it 'counts as an attempt, and a step that is lost again and again is found each time' do
    start_chain('c', { does: 'fail', on_failure: :retry, max_attempts: 3 })
    2.times do
      redis.del('resque:queue:steps')
      recover
    end
    work_off
    expect([status['status'], status['attempts:0']]).to eq(%w[failed 3])
  end

  it 'refuses what are no seconds' do
    [-1, '60', nil, Float::NAN].each do |value|
      expect { recover(older_than: value) }.to raise_error(ArgumentError, /older_than is #{value.inspect}/)
    end
    expect { Resque::JobChain.recover }.to raise_error(ArgumentError, /older_than/)
  end

  it 'is called by no worker: one that starts leaves lost steps lost' do
    start_chain('c', {})
    redis.del('resque:queue:steps')
    work_off
    expect([done, status['status']]).to eq([[], 'running'])
  end
end
