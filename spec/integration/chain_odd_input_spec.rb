# frozen_string_literal: true

# Ids, arguments and errors that nobody would choose.
RSpec.describe 'Chains with odd' do
  before { record_events }

  ['a:b:c', '*', '[x]?', 'with spaces', "line\nbreak", 'ünï🎉', 'active', 'x:state', 'running', ' ', 'a' * 5000, "nul\0",
   '%s', '0'].each do |id|
    it "ids: #{id[0, 12].inspect} is an id like others" do
      expect([start_chain(id, {}, {}), start_chain(id, {})]).to eq([true, false])
      expect(Resque::JobChain.active_chains).to eq([id])
      Resque::JobChain.update_context(id, a: 1)
      expect([Resque::JobChain.pause(id), Resque::JobChain.resume(id)]).to eq([true, true])
      work_off
      expect([status(id)['status'], Resque::JobChain.context(id)]).to eq(['completed', { 'a' => 1 }])
      expect(done).to eq(["#{id}:0", "#{id}:1"])
      expect(Resque::JobChain.chains.map { |chain| chain['id'] }).to eq([id])
      expect(events.last).to eq(['chain_completed', id])
      expect([Resque::JobChain.delete(id), chain_keys]).to eq([true, []])
    end
  end

  [:symbol, 42, 'text'].each do |id|
    it "ids: #{id.inspect} is its text, wherever it is given" do
      start_chain(id, { does: 'tell' }, {})
      expect(start_chain(id.to_s, {})).to be(false)
      Resque::JobChain.update_context(id, a: 1)
      expect([Resque::JobChain.pause(id), Resque::JobChain.resume(id), Resque::JobChain.status(id)['status']])
        .to eq([true, true, 'running'])
      work_off
      expect([told.first['_chain_id'], Resque::JobChain.context(id), status(id.to_s)['status']])
        .to eq([id.to_s, { 'a' => 1 }, 'completed'])
      expect(Resque::JobChain.delete(id)).to be(true)
    end
  end

  ['', nil, "\xff", "\xff".b].each do |id|
    it "ids: #{id.inspect} is none" do
      expect { start_chain(id, {}) }.to raise_error(ArgumentError, /id is #{Regexp.escape(id.inspect)}/)
      expect([chain_keys, queued]).to eq([[], []])
    end
  end

  it 'ids: text in another encoding is the same id' do
    start_chain('grün'.encode(Encoding::ISO_8859_1), {})
    expect(Resque::JobChain.active_chains).to eq(['grün'])
  end

  it 'ids: chains whose ids begin alike do not touch each other' do
    %w[a a:state a:steps a:context].each { |id| start_chain(id, {}, n: id) }
    Resque::JobChain.cancel('a')
    Resque::JobChain.delete('a')
    expect(Resque::JobChain.active_chains).to match_array(%w[a:state a:steps a:context])
    work_off
    expect(Resque::JobChain.context('a:state')).to eq('n' => 'a:state')
    expect(Resque::JobChain.counts['completed']).to eq(3)
  end

  it 'arguments: String keys are arguments, those named like options too' do
    start_chain('c', { 'does' => 'tell', 'queue' => 'mine', 'on_failure' => 'x', 'max_attempts' => -1,
                       'retry_delay' => 'later', max_attempts: 2 })
    work_off
    expect(told.first)
      .to include('queue' => 'mine', 'on_failure' => 'x', 'max_attempts' => -1, 'retry_delay' => 'later')
    expect(status['status']).to eq('completed')
  end

  it 'arguments: keys of other kinds are text in what the step gets' do
    start_chain('c', { does: 'tell', args: { 1 => [2] }, class: 'x', status: nil, job_chain: [] })
    work_off
    expect(told.first).to include('args' => { '1' => [2] }, 'class' => 'x', 'status' => nil, 'job_chain' => [])
  end

  it 'arguments: what is no JSON raises ArgumentError at the start, and nothing is written' do
    deep = Array.new(99).inject(1) { |inner, _| [inner] }
    [Float::NAN, Float::INFINITY, "\xff", "\xff".b, deep].each do |value|
      expect { start_chain('c', { x: value }) }.to raise_error(ArgumentError, /Jobs::Step.*JSON/)
      expect { start_chain('c', {}, { x: value }) }.to raise_error(ArgumentError, /Jobs::Step.*JSON/)
    end
    # One that could be kept as it is, and not be a job's.
    expect { start_chain('c', { x: deep.first }) }.to raise_error(ArgumentError, /Jobs::Step.*JSON/)
    expect([chain_keys, queued]).to eq([[], []])
  end

  it 'contexts: what is no JSON raises ArgumentError, naming the key, and changes nothing' do
    [Float::NAN, "\xff", -Float::INFINITY].each do |value|
      expect { start_chain('c', {}, good: 1, bad: value) }.to raise_error(ArgumentError, /context's :bad is/)
    end
    expect([chain_keys, queued]).to eq([[], []])
    start_chain('c', {}, good: 1)
    expect { Resque::JobChain.update_context('c', good: 2, bad: Float::NAN) }
      .to raise_error(ArgumentError, /:bad is NaN/)
    expect(Resque::JobChain.context('c')).to eq('good' => 1)
  end

  it 'contexts: one too deep for a payload fails the chain visibly' do
    start_chain('c', {}, {})
    Resque::JobChain.update_context('c', deep: Array.new(98).inject(1) { |inner, _| [inner] })
    work_off
    expect(status).to include('status' => 'failed', 'error_step' => '1', 'error_message' => /nesting/)
  end

  it 'errors: a huge message is cut' do
    stub_const('Jobs::Loud', Class.new(Jobs::Step) { def self.perform(*) = raise('x' * 5_000_000) })
    start_chain('c', {}, job: Jobs::Loud)
    take.then { |job| expect { job.perform }.to raise_error(RuntimeError) }
    expect([status['status'], status['error_message'].size]).to eq(['failed', 10_000])
  end

  it 'errors: a message that is no UTF-8 is made readable' do
    ["bad \xff byte", "bad \xff byte".b, 'grün'.encode(Encoding::UTF_16LE)].each_with_index do |message, index|
      stub_const('Jobs::Garbled', Class.new(Jobs::Step) { define_singleton_method(:perform) { |*| raise message } })
      start_chain("c#{index}", {}, job: Jobs::Garbled)
      take.then { |job| expect { job.perform }.to raise_error(RuntimeError) }
      state = status("c#{index}")
      expect([state['status'], state['error_message'].valid_encoding?]).to eq(['failed', true])
    end
    expect(status('c0')['error_message']).to eq("bad \ufffd byte")
  end

  it 'errors: an exception whose message raises, and one without a name' do
    stub_const('Jobs::Nasty', Class.new(Jobs::Step) do
      def self.perform(*) = raise(Class.new(StandardError) { def message = raise('no message') })
    end)
    start_chain('c', {}, job: Jobs::Nasty)
    take.then { |job| expect { job.perform }.to raise_error(StandardError) }
    expect(status['status']).to eq('failed')
  end

  it 'errors: one that is no StandardError fails the step, too' do
    stub_const('Jobs::Exiting', Class.new(Jobs::Step) { def self.perform(*) = raise(NotImplementedError, 'not yet') })
    start_chain('c', {}, {}, job: Jobs::Exiting)
    work_off
    expect(status)
      .to include('status' => 'failed', 'error_class' => 'NotImplementedError', 'error_message' => 'not yet')
  end

  it 'jobs: one that only looks like a step is left alone' do
    [{ 'class' => 'Jobs::Plain', 'args' => [{ '_chain_id' => 'c', '_step_index' => 0 }] },
     { 'class' => 'Jobs::Step', 'args' => [{ '_chain_id' => 'c' }] },
     { 'class' => 'Jobs::Plain', 'args' => ['x'], 'job_chain' => 'text' },
     { 'class' => 'Jobs::Plain', 'args' => ['y'], 'job_chain' => ['c', 1, 2, 3] }].each do |payload|
      redis.rpush('resque:queue:steps', JSON.generate(payload))
    end
    work_off
    expect([failures, events, chain_keys, done.size]).to eq([[], [], [], 4])
  end

  it 'jobs: a step that is enqueued by hand, of a chain that is not there, is performed and stale' do
    Resque.enqueue(Jobs::Step, '_chain_id' => 'none', '_step_index' => 0)
    work_off
    expect([done, events, chain_keys]).to eq([%w[none:0], [['step_stale', 'none', 0]], []])
  end

  it 'times: a class of a step may be started in many chains at once' do
    100.times { |n| start_chain(n, {}, {}) }
    work_off
    expect([Resque::JobChain.counts['completed'], done.size]).to eq([100, 200])
  end
end
