# frozen_string_literal: true

require 'datadog/statsd'

# The documented behaviour of resque-job-chain 0.1.0, with real workers, without its faults.
RSpec.describe 'A chain, as 0.1.0 has it' do
  before { record_events }

  it 'runs its steps in order, and can be looked at while it does' do
    start_chain('c', {}, { queue: :others }, {})
    expect(status).to include('status' => 'running', 'current_step' => '0', 'total_steps' => '3',
                              'step_status:0' => 'running', 'started_at' => match(/\A\d{4}-\d\d-\d\dT.*Z\z/),
                              'step_started_at:0' => String, 'updated_at' => String)
    expect(Resque::JobChain.active_chains).to eq(['c'])
    work_off('steps')
    expect(status).to include('status' => 'running', 'current_step' => '1', 'step_status:0' => 'completed',
                              'step_completed_at:0' => String, 'step_status:1' => 'running')
    work_off
    expect(status).to include('status' => 'completed', 'current_step' => '2', 'completed_at' => String,
                              'step_status:2' => 'completed', 'step_completed_at:2' => String)
    expect([done, Resque::JobChain.active_chains]).to eq([%w[c:0 c:1 c:2], []])
  end

  it 'all values of its status are Strings' do
    start_chain('c', { does: 'fail' })
    work_off
    expect(status.to_a.flatten).to all(be_a(String))
  end

  it 'runs with a child for each job, too' do
    start_chain('c', {}, {}, {})
    WorkerProcess.drain('steps')
    expect([done, status['status']]).to eq([%w[c:0 c:1 c:2], 'completed'])
  end

  it 'starts once; a duplicate start changes nothing' do
    expect(start_chain('c', {}, {})).to be(true)
    before = [status, queued]
    expect(start_chain('c', { n: 1 }, {}, {}, more: 1)).to be(false)
    expect([status, queued]).to eq(before)
    expect([Resque::JobChain.context('c'), events]).to eq([{}, [%w[chain_started c]]])
  end

  it 'gives each step its declared arguments, over them the context, over that whose step it is' do
    start_chain('c', { does: 'tell', a: 1, b: 1, _chain_id: 'x', _step_index: 9 }, b: 2, _step_index: 8, c: [])
    work_off
    expect(told).to eq([{ 'does' => 'tell', 'a' => 1, 'b' => 2, '_chain_id' => 'c', '_step_index' => 0, 'c' => [] }])
    expect(told.first.keys).to eq(%w[does a b _chain_id _step_index c])
  end

  it 'gives each step what those before put into the context' do
    start_chain('c', { does: 'update', with: { x: 1 } }, { does: 'update', with: { y: [2] } }, { does: 'tell' }, z: 3)
    work_off
    expect(told.first).to include('x' => 1, 'y' => [2], 'z' => 3)
    expect(Resque::JobChain.context('c')).to eq('x' => 1, 'y' => [2], 'z' => 3)
  end

  it 'answers empty for a chain that is not there' do
    expect([status('none'), Resque::JobChain.context('none')]).to eq([{}, {}])
  end

  describe 'events' do
    it 'tell of each step, the last one too, and then of the chain' do
      start_chain('c', {}, {})
      work_off
      expect(events).to eq([%w[chain_started c], ['step_completed', 'c', 0], ['step_completed', 'c', 1],
                            %w[chain_completed c]])
    end

    it 'tell of an abort' do
      start_chain('c', {}, { does: 'fail' }, {})
      work_off
      expect(events).to eq([%w[chain_started c], ['step_completed', 'c', 0], ['chain_failed', 'c', 1]])
      expect(status).to include('status' => 'failed', 'error_message' => 'told to fail', 'error_step' => '1',
                                'error_class' => 'RuntimeError', 'step_status:1' => 'failed')
      expect([done, failures]).to eq([%w[c:0 c:1], ['told to fail']])
    end

    it 'tell of retries, and of their end' do
      start_chain('c', { does: 'fail', on_failure: :retry, max_attempts: 3 }, {})
      work_off
      expect(events).to eq([%w[chain_started c], ['step_retrying', 'c', 0, 1], ['step_retrying', 'c', 0, 2],
                            ['chain_failed', 'c', 0]])
      expect(status).to include('status' => 'failed', 'attempts:0' => '3')
      expect(done.size).to eq(3)
    end

    it 'tell of a retry that does it' do
      start_chain('c', { does: 'fail_at_first', on_failure: :retry }, {})
      work_off
      expect(events.drop(1)).to eq([['step_retrying', 'c', 0, 1], ['step_completed', 'c', 0],
                                    ['step_completed', 'c', 1], %w[chain_completed c]])
    end

    it 'tell of skipped steps, the last one too' do
      start_chain('c', { does: 'fail', on_failure: :skip }, { does: 'fail', on_failure: :skip })
      work_off
      expect(events.drop(1)).to eq([['step_skipped', 'c', 0], ['step_skipped', 'c', 1], %w[chain_completed c]])
      expect([status['status'], step_statuses, done]).to eq(['completed', %w[skipped skipped], %w[c:0 c:1]])
    end

    it 'tell of a job that was delivered twice, which advances its chain once' do
      start_chain('c', {}, {}, {})
      redis.rpush('resque:queue:steps', redis.lindex('resque:queue:steps', 0))
      work_off
      expect([done, status['status']]).to eq([%w[c:0 c:1 c:2], 'completed'])
      expect(events.count(['step_stale', 'c', 0])).to eq(1)
      expect(events).to eq([])
    end

    it 'reach every observer, and a String names them, too' do
      heard = []
      Resque::JobChain.configure { |config| 2.times { |n| config.on('chain_started') { |id| heard << [n, id] } } }
      start_chain('c', {})
      expect(heard).to eq([[0, 'c'], [1, 'c']])
    end
  end

  describe 'on_failure' do
    {
      'a step before the chain and the configuration' => [{ on_failure: :skip }, :abort, :abort, 'completed'],
      'the chain before the configuration' => [{}, :skip, :abort, 'completed'],
      'the configuration' => [{}, nil, :skip, 'completed'],
      'abort, where none says anything' => [{}, nil, nil, 'failed'],
      'abort of the step, although the others skip' => [{ on_failure: 'abort' }, :skip, :skip, 'failed']
    }.each do |what, (step, chain, config, expected)|
      it "is that of #{what}" do
        Resque::JobChain.configuration.default_strategy = config if config
        start_chain('c', { does: 'fail', **step }, {}) { |builder| builder.on_failure(chain) if chain }
        work_off
        expect(status['status']).to eq(expected)
      end
    end

    it 'retries as often as the configuration says, where the step does not' do
      Resque::JobChain.configure { |config| config.default_max_attempts = 4 }
      start_chain('c', { does: 'fail' }) { |chain| chain.on_failure(:retry) }
      work_off
      expect([done.size, status['attempts:0']]).to eq([4, '4'])
    end
  end

  describe 'when it has ended' do
    before { Resque::JobChain.configure { |config| config.completed_chain_ttl = 2 } }

    # Milliseconds.
    def times_to_live
      %w[state steps context].map { |word| redis.pttl("resque:job_chain:c:#{word}") }
    end

    {
      'completed' => -> { take.perform }, 'cancelled' => -> { Resque::JobChain.cancel('c') },
      'failed' => -> { Resque::JobChain::StepEnd.new('c', 0).on_failure(IOError.new('by hand')) }
    }.each do |how, ending|
      it "#{how}, all its keys expire together, and it leaves the lists" do
        start_chain('c', {}, n: 1)
        expect(times_to_live).to eq([-1, -1, -1])
        instance_exec(&ending)
        times = times_to_live
        expect(times).to all(be_between(1, 2000))
        expect(times.max - times.min).to be < 100
        expect(Resque::JobChain.counts.fetch(how)).to eq(1)

        wait_until { status.empty? && Resque::JobChain.context('c').empty? }
        wait_until { Resque::JobChain.counts.fetch(how).zero? }
        expect([Resque::JobChain.chains, chain_keys]).to eq([[], []])
      end
    end

    it 'an update of its context does not keep the context for ever' do
      start_chain('c', {})
      take.perform
      Resque::JobChain.update_context('c', late: 1)
      expect(redis.pttl('resque:job_chain:c:context')).to be_between(1, 2000)
    end
  end

  it 'can be started again, when it was deleted' do
    start_chain('c', {}, n: 1)
    work_off
    expect(start_chain('c', {})).to be(false)
    expect([Resque::JobChain.delete('c'), chain_keys]).to eq([true, []])
    expect([start_chain('c', {}), Resque::JobChain.context('c')]).to eq([true, {}])
  end

  describe 'is not broken by' do
    let(:log) { StringIO.new }

    before { Resque.logger = Logger.new(log) }

    # One that has these methods, and raises, or does nothing.
    def client(*methods, error: nil)
      Class.new { methods.each { |name| define_method(name) { |*| raise error if error } } }.new
    end

    def expect_unharmed
      start_chain('c', {}, { does: 'fail_at_first', on_failure: :retry }, {})
      while (job = take)
        begin
          job.perform
        rescue RuntimeError => e
          job.fail(e)
        end
      end
      expect([status['status'], step_statuses]).to eq(['completed', %w[completed completed completed]])
    end

    it 'observers that raise, whatever they raise, and the next ones are told' do
      heard = []
      Resque::JobChain.configure do |config|
        Resque::JobChain::Configuration::EVENTS.each do |event|
          config.on(event) { raise NotImplementedError, 'a bad observer' }
          config.on(event) { heard << event }
        end
      end
      expect_unharmed
      expect(heard).to eq(%i[chain_started step_completed step_retrying step_completed step_completed chain_completed])
      expect(log.string).to include('an observer of step_completed raised NotImplementedError: a bad observer')
    end

    it 'a StatsD client that raises' do
      Resque::JobChain.configure do |config|
        config.statsd_client = client(:increment, :timing, error: IOError.new('no network'))
      end
      expect_unharmed
      expect(log.string).to include('the StatsD client raised IOError: no network')
    end

    it 'a logger that raises' do
      Resque::JobChain.configure do |config|
        config.logger = client(:info, :warn, :error, error: IOError.new('disk full'))
      end
      expect_unharmed
    end

    it 'a logger that has no more than 0.1.0 asked for: info and error' do
      Resque::JobChain.configure do |config|
        config.logger = client(:info, :error)
      end
      expect_unharmed
    end
  end

  it 'tells the logger every event' do
    log = StringIO.new
    Resque::JobChain.configure { |config| config.logger = Logger.new(log) }
    start_chain('c', {})
    take.perform
    expect(log.string.scan(/\[resque-job-chain\] (\w+): (.*)/))
      .to eq([['chain_started', '["c"]'], ['step_completed', '["c", 0]'], ['chain_completed', '["c"]']])
  end

  describe 'StatsD' do
    # As Datadog::Statsd has them, and as a client that has counters only.
    let(:told) { [] }

    def client(*methods)
      told = self.told
      Class.new { methods.each { |name| define_method(name) { |*args| told << [name, *args] } } }.new
    end

    def run_with(client)
      Resque::JobChain.configure { |config| config.statsd_client = client }
      start_chain('c', {}, {})
      2.times { take.perform }
    end

    it 'counts every event, and has the time of steps and of the chain' do
      run_with(client(:increment, :gauge, :timing, :histogram))
      expect(told.map { |call| call.first(2) }).to eq(
        [[:increment, 'resque.job_chain.chain_started'],
         [:timing, 'resque.job_chain.step_duration'], [:increment, 'resque.job_chain.step_completed'],
         [:timing, 'resque.job_chain.step_duration'], [:increment, 'resque.job_chain.step_completed'],
         [:increment, 'resque.job_chain.chain_completed'], [:timing, 'resque.job_chain.chain_duration']]
      )
      expect(told.filter_map { |call| call[2] }).to all(be_between(0, 60_000))
    end

    it 'takes histogram, where there is no timing' do
      run_with(client(:increment, :histogram))
      expect(told.map(&:first).tally).to eq(increment: 4, histogram: 3)
    end

    it 'takes a client that can only count, as 0.1.0 asked for' do
      run_with(client(:increment, :gauge))
      expect(told.map(&:first).tally).to eq(increment: 4)
    end

    it 'goes out by dogstatsd-ruby' do
      socket = UDPSocket.new.tap { |udp| udp.bind('127.0.0.1', 0) }
      statsd = Datadog::Statsd.new('127.0.0.1', socket.addr[1], single_thread: true)
      run_with(statsd)
      statsd.close
      text = +''
      text << socket.recv(65_536) << "\n" while socket.wait_readable(0.2)
      expect(text.scan(/^resque\.job_chain\.(\w+):[\d.]+\|(\w+)/).tally)
        .to eq(%w[chain_started c] => 1, %w[step_completed c] => 2, %w[chain_completed c] => 1,
               %w[step_duration ms] => 2, %w[chain_duration ms] => 1)
    ensure
      socket&.close
    end
  end

  describe 'the context' do
    let(:values) do
      { 'empty' => [], 'hash' => {}, 'nil' => nil, 'big' => 10**30, 'float' => 1.5, 'emoji' => '🎉 ü',
        'id' => 130_775_545_883_395_173, 'deep' => [{ 'a' => [[], {}] }], 'text' => "\u0000\n\"", 'yes' => true,
        'small' => 1e-7 }
    end

    # As arguments of a step, or of the chain.
    def named(prefix = '')
      values.transform_keys { |key| :"#{prefix}#{key}" }
    end

    it 'gives every value back as it was, from the start and from an update, and to the steps' do
      start_chain('c', { does: 'tell', **named('own_') }, **named)
      Resque::JobChain.update_context('c', **named('late_'))
      expected = values.merge(values.transform_keys { |key| "late_#{key}" })
      expect(Resque::JobChain.context('c')).to eq(expected)
      work_off
      expect(told.first).to include(values, values.transform_keys { |key| "own_#{key}" })
    end

    it 'gives them to later steps, by the script' do
      start_chain('c', {}, { does: 'tell', **named('own_') }, **named)
      work_off
      expect(told.first).to include(values, values.transform_keys { |key| "own_#{key}" })
    end

    it 'loses no update of many processes at once' do
      start_chain('c', {})
      processes = Array.new(4) do |process|
        fork do
          Resque.redis = REDIS_URL
          50.times { |n| Resque::JobChain.update_context('c', "#{process}_#{n}": n) }
        ensure
          exit!
        end
      end
      processes.each { |pid| Process.wait(pid) }
      expect(Resque::JobChain.context('c').size).to eq(200)
    end

    it 'answers an update with the whole, and raises for a chain that is not there' do
      start_chain('c', {}, a: 1)
      expect(Resque::JobChain.update_context('c', b: 2)).to eq('a' => 1, 'b' => 2)
      expect { Resque::JobChain.update_context('none', a: 1) }
        .to raise_error(Resque::JobChain::MissingChain, /"none".*\[:a\]/)
      expect(chain_keys.grep(/none/)).to eq([])
    end

    it 'takes an update of a running step together with those of others' do
      start_chain('c', { does: 'hold', and_then: 'update', with: { own: 1 } }, { does: 'tell' })
      worker = WorkerProcess.start('steps')
      wait_until { holding_steps == ['0'] }
      Resque::JobChain.update_context('c', foreign: 2)
      let_step_go(0)
      wait_until { told.any? }
      expect(told.first).to include('own' => 1, 'foreign' => 2)
      worker.quit
    end
  end
end
