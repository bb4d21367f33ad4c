# frozen_string_literal: true

# An operator's verbs on chains. Each returns true or false: whether the chain's status allowed it.
RSpec.describe 'Chains under an operator' do
  before { record_events }

  let(:chains) { Resque::JobChain }

  # A chain of two steps in each status.
  def start_all
    { 'running' => nil, 'paused' => :pause, 'cancelled' => :cancel }.each do |id, verb|
      start_chain(id, { queue: :others }, {})
      chains.public_send(verb, id) if verb
    end
    start_chain('completed', {}, {})
    start_chain('failed', { does: 'fail' }, {})
    work_off('steps')
    redis.del('resque:queue:others')
    events
  end

  {
    cancel: %w[running paused], pause: %w[running], resume: %w[paused], retry_failed: %w[failed],
    delete: %w[cancelled completed failed]
  }.each do |verb, allowed|
    it "#{verb} is for #{allowed.join(', ')}; else false, and nothing changes" do
      start_all
      (Resque::JobChain::Persistence::STATUSES - allowed).each do |id|
        before = [redis.hgetall("resque:job_chain:#{id}:state"), chain_keys, queued, queued('others')]
        expect([id, chains.public_send(verb, id)]).to eq([id, false])
        expect([redis.hgetall("resque:job_chain:#{id}:state"), chain_keys, queued, queued('others')]).to eq(before)
      end
      expect([chains.public_send(verb, 'none'), events, chain_keys.grep(/none/)]).to eq([false, [], []])
      allowed.each { |id| expect([id, chains.public_send(verb, id)]).to eq([id, true]) }
      expect(allowed.map { |id| chains.public_send(verb, id) }).to all(be(false))
    end
  end

  describe 'cancel' do
    it 'leaves the queued job unperformed' do
      start_chain('c', {}, {})
      expect(chains.cancel('c')).to be(true)
      work_off
      expect([done, status['status'], queued, chains.active_chains]).to eq([[], 'cancelled', [], []])
      expect(events).to eq([%w[chain_started c], %w[chain_cancelled c], ['step_stale', 'c', 0]])
    end

    it 'lets the running job end without effect on the chain, whether well or not' do
      %w[update fail].each_with_index do |ending, index|
        id = "c#{index}"
        start_chain(id, { does: 'hold', and_then: ending, with: { late: 1 }, on_failure: :retry }, {})
        worker = WorkerProcess.start('steps')
        wait_until { holding_steps.size == index + 1 }
        chains.cancel(id)
        let_step_go(0)
        wait_until { events.include?(['step_stale', id, 0]) }
        expect([status(id)['status'], queued]).to eq(['cancelled', []])
        worker.quit
      end
    end

    it 'takes a job that waits in its partition out by its turn, without a trace' do
      start_chain('c', { account_id: 'a' }, job: Jobs::FairStep)
      chains.cancel('c')
      work_off
      expect([done, failures]).to eq([[], []])
      expect_drained
    end
  end

  describe 'pause' do
    it 'lets the queued step run and count, and starts nothing until resume' do
      start_chain('c', {}, {})
      chains.pause('c')
      expect(chains.active_chains).to eq(['c'])
      work_off
      expect([done, step_statuses, status['status']]).to eq([%w[c:0], ['completed', nil], 'paused'])
      chains.resume('c')
      work_off
      expect(status['status']).to eq('completed')
      expect(events).to eq([%w[chain_started c], %w[chain_paused c], ['step_completed', 'c', 0], %w[chain_resumed c],
                            ['step_completed', 'c', 1], %w[chain_completed c]])
    end

    it 'and resume while the step runs: it goes on once' do
      start_chain('c', { does: 'hold' }, {})
      worker = WorkerProcess.start('steps')
      wait_until { holding_steps.any? }
      expect([chains.pause('c'), chains.resume('c'), queued]).to eq([true, true, []])
      let_step_go(0)
      wait_until { status['status'] == 'completed' }
      expect(done).to eq(%w[c:0 c:1])
      worker.quit
    end

    it 'of a chain whose last step runs: it is completed' do
      start_chain('c', {})
      chains.pause('c')
      work_off
      expect([status['status'], events.last]).to eq(['completed', %w[chain_completed c]])
    end

    it 'holds back a retry until resume, which counts as the same attempt' do
      start_chain('c', { does: 'fail_at_first', on_failure: :retry }, {})
      chains.pause('c')
      work_off
      expect([queued, status['status'], status['attempts:0']]).to eq([[], 'paused', '1'])
      chains.resume('c')
      work_off
      expect([status['status'], status['attempts:0'], done]).to eq(['completed', '1', %w[c:0 c:0 c:1]])
    end

    it 'does not keep a step from failing its chain' do
      start_chain('c', { does: 'fail' }, {})
      chains.pause('c')
      work_off
      expect([status['status'], chains.resume('c')]).to eq(['failed', false])
    end

    it 'lets a skipped step count' do
      start_chain('c', { does: 'fail', on_failure: :skip }, {})
      chains.pause('c')
      work_off
      expect([status['status'], step_statuses]).to eq(['paused', ['skipped', nil]])
      chains.resume('c')
      work_off
      expect(status['status']).to eq('completed')
    end
  end

  describe 'retry_failed' do
    it 'goes on from the step that failed, with attempts counted from 0 again, and no longer expires' do
      start_chain('c', {}, { does: 'fail_at_first', times: 2, on_failure: :retry, max_attempts: 2 }, {}, k: 1)
      work_off
      expect([status['status'], status['attempts:1']]).to eq(%w[failed 2])
      expect(chains.retry_failed('c')).to be(true)
      expect([status['status'], status.keys.grep(/error|attempts|failures/)]).to eq(['running', []])
      expect(%w[state steps context].map { |word| redis.pttl("resque:job_chain:c:#{word}") }).to eq([-1] * 3)
      work_off
      expect([status['status'], done]).to eq(['completed', %w[c:0 c:1 c:1 c:1 c:2]])
      expect(events.map(&:first)).to include('chain_resumed')
    end

    it 'makes the job that failed stale: a late delivery is not performed' do
      start_chain('c', { does: 'fail' }, {})
      old = queued.first
      work_off
      chains.retry_failed('c')
      redis.del('resque:queue:steps')
      redis.rpush('resque:queue:steps', JSON.generate(old))
      work_off
      expect([done.size, status['status']]).to eq([1, 'running'])
    end
  end

  describe 'chains' do
    it 'has the last started first, each as status gives it, with its id' do
      5.times do |n|
        start_chain("c#{n}", {})
        sleep 0.002
      end
      expect(chains.chains.map { |chain| chain['id'] }).to eq(%w[c4 c3 c2 c1 c0])
      expect(chains.chains(limit: 2, offset: 1).map { |chain| chain['id'] }).to eq(%w[c3 c2])
      expect(chains.chains(offset: 5)).to eq([])
      expect(chains.chains(limit: 0)).to eq([])
      expect(chains.chains.last.except('id')).to eq(status('c0'))
    end

    it 'and counts know every status' do
      start_all
      Resque::JobChain::Persistence::STATUSES.each do |name|
        expect(chains.chains(status: name.to_sym).map { |chain| chain['id'] }).to eq([name])
        expect(chains.chains(status: name).map { |chain| chain['status'] }).to eq([name])
      end
      expect(chains.chains.map { |chain| chain['id'] }).to match_array(Resque::JobChain::Persistence::STATUSES)
      expect(chains.counts).to eq(Resque::JobChain::Persistence::STATUSES.to_h { |name| [name, 1] })
      expect(chains.active_chains).to match_array(%w[running paused])
    end

    it 'keeps the order by start, whatever becomes of a chain' do
      %w[a b].each do |id|
        start_chain(id, { does: 'fail' })
        sleep 0.002
      end
      work_off
      chains.retry_failed('a')
      expect(chains.chains.map { |chain| chain['id'] }).to eq(%w[b a])
    end

    it 'refuses another status, and wrong numbers, naming them' do
      expect { chains.chains(status: :lost) }.to raise_error(ArgumentError, /status is :lost.*:running/)
      expect { chains.chains(limit: -1) }.to raise_error(ArgumentError, /limit is -1/)
      expect { chains.chains(offset: nil) }.to raise_error(ArgumentError, /offset is nil/)
    end

    it 'leaves out what was evicted, or removed by hand' do
      start_chain('c', {})
      redis.del('resque:job_chain:c:state')
      2.times { expect(chains.chains).to eq([]) }
      expect(chains.counts['running']).to eq(0)
    end
  end

  it 'delete removes all keys of the chain, and none of another' do
    start_all
    start_chain('completed:x', {})
    %w[cancelled completed failed].each { |id| chains.delete(id) }
    expect(chain_keys.grep(/:(cancelled|completed|failed)\z/)).to eq([])
    expect(chains.chains.map { |chain| chain['id'] }).to match_array(%w[running paused completed:x])
  end

  it 'pause, resume and cancel race with workers, and lose no step' do
    10.times { |n| start_chain("c#{n}", {}, {}, {}, {}, {}) }
    workers = Array.new(2) { WorkerProcess.start('steps', interval: 0.01, fork_per_job: false) }
    wait_until(seconds: 60) do
      10.times { |n| chains.pause("c#{n}") && chains.resume("c#{n}") }
      chains.counts['completed'] == 10
    end
    workers.each(&:quit)
    all = Array.new(10) { |n| Array.new(5) { |index| "c#{n}:#{index}" } }.flatten
    expect(done).to match_array(all)
  end
end
