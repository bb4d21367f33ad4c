# frozen_string_literal: true

# before_enqueue and after_enqueue of a step's class run as `Resque.enqueue_to` runs them, although a script enqueues.
RSpec.describe "A step's enqueue hooks" do
  before { record_events }

  # @return [Array<Array>] name, and the step's index, of each call
  def calls
    redis.lpop('resque:spec:hooks', 100).to_a.map do |text|
      name, args = JSON.parse(text)
      [name, args['_step_index']]
    end
  end

  it 'run around the start, the advance and a retry, with the arguments of the job' do
    start_chain('c', { x: 1 }, { does: 'fail_at_first', on_failure: :retry }, job: Jobs::StepWithHooks, z: 2)
    expect(redis.lrange('resque:spec:hooks', 0, -1).map { |text| JSON.parse(text) })
      .to eq(%w[before after].map { |name| [name, { 'x' => 1, 'z' => 2, '_chain_id' => 'c', '_step_index' => 0 }] })
    work_off
    expect(calls).to eq([['before', 0], ['after', 0], ['before', 1], ['after', 1], ['before', 1], ['after', 1]])
    expect(status['status']).to eq('completed')
  end

  it 'run for each member of a group' do
    start_chain('c', {}, job: Jobs::StepWithHooks) do |chain|
      chain.parallel { |group| 2.times { group.step(Jobs::StepWithHooks) } }
    end
    work_off
    expect(calls).to eq([['before', 0], ['after', 0], ['before', 1], ['before', 2], ['after', 1], ['after', 2]])
  end

  describe 'veto' do
    def expect_vetoed(index)
      expect(status).to include('status' => 'failed', "step_status:#{index}" => 'vetoed', 'error_step' => index.to_s,
                                'error_class' => 'Resque::JobChain::Vetoed',
                                'error_message' => match(/before_enqueue.*StepWithHooks.*#{index}/))
      expect([queued, redis.pttl('resque:job_chain:c:state').positive?, Resque::JobChain.active_chains])
        .to eq([[], true, []])
    end

    it 'the start: the chain is there, and says so' do
      expect(start_chain('c', { veto: 1 }, {}, job: Jobs::StepWithHooks)).to be(true)
      expect_vetoed(0)
      expect(events).to eq([%w[chain_started c], ['step_vetoed', 'c', 0], ['chain_failed', 'c', 0]])
      expect(calls).to eq([['before', 0]])
    end

    it 'an advance' do
      start_chain('c', {}, { veto: 1 }, {}, job: Jobs::StepWithHooks)
      work_off
      expect_vetoed(1)
      expect(events.drop(1)).to eq([['step_completed', 'c', 0], ['step_vetoed', 'c', 1], ['chain_failed', 'c', 1]])
      expect(step_statuses).to eq(['completed', 'vetoed', nil])
    end

    it 'the advance after a skipped step' do
      start_chain('c', { does: 'fail', on_failure: :skip }, { veto: 1 }, job: Jobs::StepWithHooks)
      work_off
      expect_vetoed(1)
      expect(events.drop(1)).to eq([['step_skipped', 'c', 0], ['step_vetoed', 'c', 1], ['chain_failed', 'c', 1]])
    end

    it 'a retry' do
      start_chain('c', { does: 'fail', on_failure: :retry, veto: 2 }, {}, job: Jobs::StepWithHooks)
      work_off
      expect_vetoed(0)
      expect([events.drop(1), status['attempts:0']]).to eq([[['step_vetoed', 'c', 0], ['chain_failed', 'c', 0]], '1'])
    end

    it 'a member of a group: none of them starts' do
      start_chain('c', {}, job: Jobs::StepWithHooks) do |chain|
        chain.parallel { |group| [{}, { veto: 1 }].each { |options| group.step(Jobs::StepWithHooks, **options) } }
      end
      work_off
      expect_vetoed(2)
      expect([done, step_statuses]).to eq([%w[c:0], ['completed', nil, 'vetoed']])
    end

    it 'is made good by retry_failed' do
      start_chain('c', {}, { veto: 1 }, {}, job: Jobs::StepWithHooks)
      work_off
      expect(Resque::JobChain.retry_failed('c')).to be(true)
      work_off
      expect([status['status'], done]).to eq(['completed', %w[c:0 c:1 c:2]])
    end

    it 'a resume' do
      start_chain('c', {}, { veto: 1 }, job: Jobs::StepWithHooks)
      Resque::JobChain.pause('c')
      work_off
      expect(Resque::JobChain.resume('c')).to be(false)
      expect_vetoed(1)
    end
  end

  it 'that raise after the enqueue are logged, and the chain goes on' do
    Resque.logger = Logger.new(log = StringIO.new)
    start_chain('c', { bad_hook: true }, job: Jobs::StepWithHooks)
    expect(log.string).to include('a bad hook')
    work_off
    expect(status['status']).to eq('completed')
  end

  it 'that raise before the enqueue of the start raise there, and nothing is written' do
    stub_const('Jobs::BadHook', Class.new(Jobs::Step) { def self.before_enqueue_zz(*) = raise(IOError, 'no database') })
    expect { start_chain('c', {}, job: Jobs::BadHook) }.to raise_error(IOError, 'no database')
    expect([chain_keys, queued]).to eq([[], []])
  end

  it 'that raise before the enqueue of a later step fail the chain with that error' do
    stub_const('Jobs::BadHook', Class.new(Jobs::Step) { def self.before_enqueue_zz(*) = raise(IOError, 'no database') })
    start_chain('c', {}) { |chain| chain.step(Jobs::BadHook) }
    work_off
    expect(status).to include('status' => 'failed', 'error_step' => '1', 'error_class' => 'IOError',
                              'error_message' => 'no database', 'step_status:0' => 'completed')
  end

  it 'may change the arguments' do
    stub_const('Jobs::Changing', Class.new(Jobs::Step) do
      def self.before_enqueue_zz(params) = params.store('added', [params['_step_index']])
    end)
    start_chain('c', { does: 'tell' }, { does: 'tell' }, job: Jobs::Changing)
    work_off
    expect(told.map { |params| params['added'] }).to eq([[0], [1]])
  end

  it 'run once although the chain changes while they run' do
    stub_const('Jobs::Slow', Class.new(Jobs::StepWithHooks) do
      def self.before_enqueue_aa(params)
        Resque::JobChain.update_context('c', late: 1) if params['_step_index'] == 1
      end
    end)
    start_chain('c', {}, { does: 'tell' }, job: Jobs::Slow)
    work_off
    expect([calls.count(['before', 1]), told.first['late'], status['status']]).to eq([1, 1, 'completed'])
  end
end
