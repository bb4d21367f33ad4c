# frozen_string_literal: true

# Groups of steps that start together; the chain goes on when all of them have ended well.
RSpec.describe 'A parallel group' do
  before { record_events }

  # One step, a group of these, one step.
  def start_group(*members, before: [{}], after: [{}], &more)
    Resque::JobChain.build('c') do |chain|
      before.each { |options| chain.step(Jobs::Step, **options) }
      chain.parallel { |group| members.each { |options| group.step(Jobs::Step, **options) } }
      after.each { |options| chain.step(Jobs::Step, **options) }
      more&.call(chain)
    end.start!
  end

  # Performs one job as a worker does, failures too.
  def perform(job)
    job.perform
  rescue StandardError => e
    job.fail(e)
  end

  def take_all
    Array.new(queued.size) { take }
  end

  it 'starts together, after the step before it, and ends before the one after it' do
    start_group({}, {}, {})
    expect(queued.size).to eq(1)
    perform(take)
    expect([queued.map { |job| job['args'][0]['_step_index'] }, status['current_step'], step_statuses])
      .to eq([[1, 2, 3], '1', ['completed', 'running', 'running', 'running', nil]])
    jobs = take_all
    jobs.first(2).reverse_each { |job| perform(job) }
    expect([queued, status['current_step'], status['status']]).to eq([[], '1', 'running'])
    perform(jobs.last)
    expect([queued.size, status['current_step']]).to eq([1, '4'])
    work_off
    expect([status['status'], step_statuses]).to eq(['completed', %w[completed] * 5])
    expect(events.drop(1)).to eq([[0], [2], [1], [3], [4]].map { |index| ['step_completed', 'c', *index] } +
                                 [%w[chain_completed c]])
  end

  it 'really runs at the same time, by several workers' do
    start_group({ does: 'hold' }, { does: 'hold' }, { does: 'hold' })
    3.times { WorkerProcess.start('steps') }
    wait_until { holding_steps.sort == %w[1 2 3] }
    (1..3).each { |index| let_step_go(index) }
    wait_until { status['status'] == 'completed' }
    expect(done.last).to eq('c:4')
  end

  it 'may be the first, the last, the only one, and follow another' do
    start_group({}, {}, before: [], after: []) { |chain| chain.parallel { |group| 2.times { group.step(Jobs::Step) } } }
    expect([queued.size, status['total_steps'], status['current_step']]).to eq([2, '4', '0'])
    work_off
    expect([status['status'], status['current_step'], done.sort]).to eq(['completed', '2', %w[c:0 c:1 c:2 c:3]])
    expect(done.first(2).sort).to eq(%w[c:0 c:1])
  end

  it 'of one step is a step' do
    start_group({})
    work_off
    expect([status['status'], done]).to eq(['completed', %w[c:0 c:1 c:2]])
  end

  it 'hands each member the context as it was, and the next step what all have added' do
    start_group({ does: 'update', with: { a: 1 } }, { does: 'update', with: { b: 2 } }, after: [{ does: 'tell' }])
    work_off
    expect(told.first).to include('a' => 1, 'b' => 2)
  end

  it 'a member that is tried again delays the join' do
    start_group({ does: 'fail_at_first', on_failure: :retry }, {})
    perform(take)
    take_all.each { |job| perform(job) }
    expect([queued.size, status['current_step'], status['attempts:1']]).to eq([1, '1', '1'])
    work_off
    expect([status['status'], done]).to eq(['completed', %w[c:0 c:1 c:2 c:1 c:3]])
  end

  it 'a skipped member has ended well' do
    start_group({ does: 'fail', on_failure: :skip }, {})
    work_off
    expect([status['status'], step_statuses]).to eq(['completed', %w[completed skipped completed completed]])
    expect(events.map(&:first).count('step_skipped')).to eq(1)
  end

  it 'that ends with a skipped member goes on' do
    start_group({}, { does: 'fail', on_failure: :skip })
    work_off
    expect([status['status'], done.last]).to eq(['completed', 'c:3'])
  end

  describe 'of which a member aborts' do
    it 'lets its running siblings end, which count, and starts nothing more' do
      start_group({ does: 'fail' }, { does: 'hold' })
      2.times { WorkerProcess.start('steps') }
      wait_until { holding_steps == ['2'] && status['status'] == 'failed' }
      expect(step_statuses).to eq(['completed', 'failed', 'running', nil])
      let_step_go(2)
      wait_until { status['step_status:2'] == 'completed' }
      expect([status['status'], queued, step_statuses.last]).to eq(['failed', [], nil])
      told = [] # A worker reports its step's end when Redis has it.
      wait_until { told.concat(events).size == 4 }
      expect(told.map(&:first).tally).to eq('chain_started' => 1, 'step_completed' => 2, 'chain_failed' => 1)
    end

    it 'is told once, although a sibling fails too' do
      start_group({ does: 'fail' }, { does: 'fail', message: 'the second' })
      work_off
      expect(events.map(&:first).tally).to eq('chain_started' => 1, 'step_completed' => 1, 'chain_failed' => 1)
      expect([status['error_message'], step_statuses]).to eq(['told to fail', ['completed', 'failed', 'failed', nil]])
    end

    it 'does not try a sibling again that fails later' do
      start_group({ does: 'fail' }, { does: 'fail', on_failure: :retry })
      perform(take)
      take_all.each { |job| perform(job) }
      expect([queued, step_statuses]).to eq([[], ['completed', 'failed', 'failed', nil]])
    end

    it 'goes on by retry_failed with that member only' do
      start_group({ does: 'fail_at_first' }, {})
      work_off
      expect([status['status'], step_statuses]).to eq(['failed', ['completed', 'failed', 'completed', nil]])
      expect(Resque::JobChain.retry_failed('c')).to be(true)
      expect(queued.map { |job| job['args'][0]['_step_index'] }).to eq([1])
      work_off
      expect([status['status'], done]).to eq(['completed', %w[c:0 c:1 c:2 c:1 c:3]])
    end

    it 'goes on by retry_failed while a sibling still runs, which then counts once' do
      start_group({ does: 'fail_at_first' }, {})
      perform(take)
      failing, running = take_all
      perform(failing)
      expect(Resque::JobChain.retry_failed('c')).to be(true)
      perform(take)
      expect([status['current_step'], queued]).to eq(['1', []])
      perform(running)
      expect([status['current_step'], queued.size]).to eq(['3', 1])
    end
  end

  it 'joins once, when completions are told twice, at the same time' do
    start_group({}, {}, {}, {})
    perform(take)
    payloads = queued
    redis.del('resque:queue:steps')
    payloads.product([1, 2]).map(&:first).shuffle.each { |job| redis.rpush('resque:queue:steps', JSON.generate(job)) }
    workers = Array.new(3) { WorkerProcess.start('steps', fork_per_job: false) }
    wait_until { status['status'] == 'completed' && queued.empty? }
    workers.each(&:quit)
    expect(done.tally.slice('c:0', 'c:5')).to eq('c:0' => 1, 'c:5' => 1)
    expect(events.map(&:first).tally).to include('step_completed' => 6, 'chain_completed' => 1)
  end

  it 'is paused as a whole: all that run end, and the next starts at resume' do
    start_group({}, {})
    perform(take)
    Resque::JobChain.pause('c')
    take_all.each { |job| perform(job) }
    expect([queued, status['status'], step_statuses]).to eq([[], 'paused', [*['completed'] * 3, nil]])
    expect([Resque::JobChain.resume('c'), queued.size]).to eq([true, 1])
    work_off
    expect(status['status']).to eq('completed')
  end

  it 'writes its members into the partitions of several queues in one go' do
    Resque::JobChain.build('c') do |chain|
      chain.parallel do |group|
        %w[a b].each { |account| group.step(Jobs::FairStep, account_id: account) }
        group.step(Jobs::FairStep, account_id: 'a', queue: :other)
        group.step(Jobs::OtherStep)
      end
    end.start!
    expect([waiting('a'), waiting('b'), waiting('a', 'other'), queued('others').size]).to eq([1, 1, 1, 1])
    expect_consistent
    expect_consistent('other')
    WorkerProcess.drain('fair', 'other', 'others', fork_per_job: false)
    expect(status['status']).to eq('completed')
  end

  it 'of 200 members' do
    start_group(*Array.new(200) { {} })
    work_off
    expect([status['status'], done.size]).to eq(['completed', 202])
  end
end
