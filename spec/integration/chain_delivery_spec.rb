# frozen_string_literal: true

# Where the job of a step goes, and what becomes of a chain whose next job can't be made.
RSpec.describe 'The jobs of a chain' do
  before { record_events }

  describe 'of a fair-share class' do
    it 'wait in their partition, at the start and later' do
      start_chain('c', { account_id: 'a' }, { account_id: 'b' }, job: Jobs::FairStep)
      expect([waiting('a'), pending('a'), redis.lrange('resque:queue:fair', 0, -1)]).to eq([1, 1, ['null']])
      expect_consistent
      take('fair').perform
      expect([waiting('a'), in_flight('a'), waiting('b'), status['current_step']]).to eq([0, 0, 1, '1'])
      expect_consistent
      work_off
      expect(status['status']).to eq('completed')
      expect_drained
    end

    it 'have the partition that the context names' do
      start_chain('c', { does: 'update', with: { account_id: 'late' } }) { |chain| chain.step(Jobs::FairStep) }
      work_off('steps')
      expect(waiting('late')).to eq(1)
    end

    it 'keep the cap and take their turn' do
      Resque::FairShare.configure { |config| config.max_in_flight = 1 }
      3.times { |n| start_chain("c#{n}", { account_id: 'a' }, { account_id: 'a' }, job: Jobs::FairStep) }
      start_chain('d', { account_id: 'b' }, job: Jobs::FairStep)
      first, second, third = Array.new(3) { take('fair') }
      expect([first.args[0]['_chain_id'], second.args[0]['_chain_id'], third]).to eq(['c0', 'd', nil])
      expect_consistent
      [first, second].each(&:perform)
      work_off
      expect(Resque::JobChain.counts).to include('completed' => 4)
      expect_drained
    end

    it 'go back into their partition to be tried again, and when they are resumed' do
      start_chain('c', { account_id: 'a', does: 'fail_at_first', on_failure: :retry }, { account_id: 'b' },
                  job: Jobs::FairStep)
      expect { take('fair').perform }.to raise_error('try 1')
      expect([waiting('a'), in_flight('a')]).to eq([1, 0])
      Resque::JobChain.pause('c')
      take('fair').perform
      expect(waiting('b')).to eq(0)
      Resque::JobChain.resume('c')
      expect(waiting('b')).to eq(1)
      expect_consistent
    end

    it 'have no partition at the start: ArgumentError, and nothing is written' do
      expect { start_chain('c', {}, job: Jobs::FairStep) }.to raise_error(ArgumentError, /account_id/)
      expect([chain_keys, our_keys]).to eq([[], []])
    end

    it 'have no partition later: the chain fails with that error' do
      start_chain('c', {}) { |chain| chain.step(Jobs::FairStep) }
      work_off
      expect(status).to include('status' => 'failed', 'error_step' => '1', 'error_class' => 'ArgumentError',
                                'error_message' => /account_id/, 'step_status:0' => 'completed',
                                'step_status:1' => 'failed')
      expect(events.drop(1)).to eq([['step_completed', 'c', 0], ['chain_failed', 'c', 1]])
      expect([our_keys, failures]).to eq([[], []])
    end

    it 'wait in the main list where dequeue_strategy is :legacy_scan' do
      Resque::FairShare.configure { |config| config.dequeue_strategy = :legacy_scan }
      start_chain('c', { account_id: 'a' }, { account_id: 'b' }, job: Jobs::FairStep)
      expect([queued('fair').size, pending('a')]).to eq([1, 1])
      work_off
      expect(status['status']).to eq('completed')
    end
  end

  it 'of a plain class take their turn in a queue that is fair' do
    enqueue('a', 2)
    start_chain('c', { queue: :fair }, { queue: :fair })
    expect(redis.lrange('resque:queue:fair', 0, -1)).to eq(%w[null] * 3)
    expect_consistent
    work_off
    expect([status['status'], done.sort]).to eq(['completed', %w[a:0 a:1 c:0 c:1]])
    expect_drained
  end

  it 'go to the queue of the step, else of its class' do
    start_chain('c', { queue: 'elsewhere' }) { |chain| chain.step(Jobs::OtherStep) }
    expect([queued('elsewhere').size, Resque.queues]).to eq([1, ['elsewhere']])
    WorkerProcess.drain('elsewhere', fork_per_job: false)
    expect([queued('others').size, Resque.queues]).to match([1, include('others')])
  end

  describe 'of a class that is gone' do
    before { stub_const('Jobs::Gone', Class.new(Jobs::Step)) }

    it 'at a later step: the chain fails with that error' do
      start_chain('c', {}) { |chain| chain.step(Jobs::Gone) }
      hide_const('Jobs::Gone')
      work_off
      expect(status).to include('status' => 'failed', 'error_step' => '1', 'error_class' => 'NameError',
                                'error_message' => /Jobs::Gone/, 'step_status:0' => 'completed')
      expect(events.drop(1)).to eq([['step_completed', 'c', 0], ['chain_failed', 'c', 1]])
    end

    it 'in the process of an operator: the chain is left as it is' do
      start_chain('c', {}) { |chain| chain.step(Jobs::Gone) }
      expect(Resque::JobChain.pause('c')).to be(true)
      work_off
      hide_const('Jobs::Gone')

      expect { Resque::JobChain.resume('c') }
        .to raise_error(Resque::JobChain::StepNotStartable, /step 1 .* NameError: .*Jobs::Gone/)
      expect(status).to include('status' => 'paused', 'step_status:0' => 'completed')
      expect(status).not_to include('step_status:1')
    end

    it 'when its job is performed, although Resque runs no failure hook then' do
      start_chain('c', {}, {}, job: Jobs::Gone)
      hide_const('Jobs::Gone')
      work_off
      expect(status).to include('status' => 'failed', 'error_step' => '0', 'error_class' => 'NameError')
      expect(failures.first).to include('Jobs::Gone')
    end

    it 'in a group: none of its members starts' do
      start_chain('c', {}) do |chain|
        chain.parallel { |group| [Jobs::Step, Jobs::Gone].each { |job| group.step(job) } }
      end
      hide_const('Jobs::Gone')
      work_off
      expect([status['status'], status['error_step'], step_statuses, done])
        .to eq(['failed', '2', ['completed', nil, 'failed'], %w[c:0]])
    end

    it 'and is there again: retry_failed goes on' do
      klass = Jobs::Gone
      start_chain('c', {}) { |chain| chain.step(Jobs::Gone) }
      hide_const('Jobs::Gone')
      work_off
      stub_const('Jobs::Gone', klass)
      expect(Resque::JobChain.retry_failed('c')).to be(true)
      work_off
      expect(status['status']).to eq('completed')
    end
  end

  it 'whose arguments a hook made unfit for JSON: the chain fails with that error' do
    stub_const('Jobs::Unfit', Class.new(Jobs::Step) do
      def self.before_enqueue_zz(params) = params.store('bad', Float::NAN)
    end)
    start_chain('c', {}) { |chain| chain.step(Jobs::Unfit) }
    work_off
    expect(status).to include('status' => 'failed', 'error_step' => '1', 'step_status:1' => 'failed',
                              'error_message' => /NaN/)
    expect(queued).to eq([])
  end

  it 'whose queue is no list: the chain fails with Redis’s error, and the step before it counts' do
    redis.set('resque:queue:others', 'no list')
    start_chain('c', {}) { |chain| chain.step(Jobs::OtherStep) }
    work_off('steps')
    expect([status['status'], failures.size]).to match(['failed', 1])
    expect(status['error_message']).to include('WRONGTYPE')
  end

  it 'are in the failed list, as any job that fails' do
    start_chain('c', { does: 'fail' })
    work_off
    expect(JSON.parse(redis.lindex('resque:failed', 0)))
      .to include('error' => 'told to fail', 'queue' => 'steps', 'payload' => include('class' => 'Jobs::Step'))
  end

  { 'a:b' => 'a:b:', 'nested' => 'outer:nested:', '' => 'resque:' }.each do |name, prefix|
    it "are the namespace's own: #{name.inspect}" do
      client = Redis.new(url: REDIS_URL)
      client = Redis::Namespace.new(:outer, redis: client) if name == 'nested'
      Resque.redis = name.empty? ? client : Redis::Namespace.new(name, redis: client)
      start_chain('c', { account_id: 'x', does: 'update', with: { y: 1 } }, {}, job: Jobs::FairStep, account_id: 'x')
      expect(redis.keys('*')).to all(start_with(prefix))
      expect(redis.keys("#{prefix}job_chain:*").size).to eq(4)
      while (job = take('fair'))
        job.perform
      end
      expect([status['status'], Resque::JobChain.context('c'), Resque::JobChain.chains.map { |chain| chain['id'] }])
        .to eq(['completed', { 'account_id' => 'x', 'y' => 1 }, ['c']])
      expect([Resque::JobChain.delete('c'), redis.keys("#{prefix}job_chain:*")]).to eq([true, []])
    end
  end

  %i[auto ruby native].each do |connection|
    it "take config.connection = :#{connection}" do
      Resque::FairShare.configure { |config| config.connection = connection }
      start_chain('c', { does: 'update', with: { y: [] } }, { does: 'fail_at_first', on_failure: :retry },
                  { does: 'fail', on_failure: :skip }, {})
      work_off
      expect([status['status'], Resque::JobChain.context('c'), Resque::JobChain.counts['completed']])
        .to eq(['completed', { 'y' => [] }, 1])
    end
  end
end
