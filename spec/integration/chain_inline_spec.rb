# frozen_string_literal: true

# With `Resque.inline` a chain runs in this process, step by step, when it is started.
RSpec.describe 'Resque.inline and chains' do
  before do
    record_events
    Resque.inline = true
  end

  after { Resque.inline = false }

  it 'runs a whole chain at its start' do
    expect(start_chain('c', { does: 'update', with: { a: 1 } }, { does: 'tell' }, {})).to be(true)
    expect([done, told.first['a'], status['status'], queued]).to eq([%w[c:0 c:1 c:2], 1, 'completed', []])
    expect(events.map(&:first)).to eq(%w[chain_started step_completed step_completed step_completed chain_completed])
  end

  it 'runs 500 steps, and none is deeper in the stack than the first' do
    stub_const('Jobs::Deep', Class.new(Jobs::Step) do
      def self.perform(*) = Resque.redis.rpush('spec:depth', caller.size)
    end)
    start_chain('c', *Array.new(500) { {} }, job: Jobs::Deep)
    depths = redis.lrange('resque:spec:depth', 0, -1).map(&:to_i)
    expect([depths.size, status['status']]).to eq([500, 'completed'])
    expect(depths.max - depths.min).to be < 5
  end

  it 'tries again, skips, and raises what ends the chain' do
    start_chain('c', { does: 'fail_at_first', on_failure: :retry }, { does: 'fail', on_failure: :skip }, {})
    expect([status['status'], done]).to eq(['completed', %w[c:0 c:0 c:1 c:2]])
    expect { start_chain('d', {}, { does: 'fail' }, {}) }.to raise_error('told to fail')
    expect([status('d')['status'], step_statuses('d')]).to eq(['failed', ['completed', 'failed', nil]])
  end

  it 'runs the members of a group one after the other, and then the next step' do
    start_chain('c', {}) do |chain|
      chain.parallel { |group| 3.times { group.step(Jobs::Step) } }
      chain.step(Jobs::Step)
    end
    expect([done, status['status']]).to eq([%w[c:0 c:1 c:2 c:3 c:4], 'completed'])
  end

  it 'runs a chain that a step starts' do
    stub_const('Jobs::Starting', Class.new(Jobs::Step) do
      def self.perform(_params)
        Resque::JobChain.build('inner') { |chain| 2.times { chain.step(Jobs::Step) } }.start!
      end
    end)
    start_chain('c', {}, job: Jobs::Starting) { |chain| chain.step(Jobs::Step) }
    expect([status['status'], status('inner')['status']]).to eq(%w[completed completed])
    expect(done).to match_array(%w[inner:0 inner:1 c:1])
  end

  it 'leaves nothing waiting for the next chain when a step has raised' do
    expect { start_chain('c', { does: 'fail' }) }.to raise_error('told to fail')
    start_chain('d', {}, {})
    expect([done, status('d')['status']]).to eq([%w[c:0 d:0 d:1], 'completed'])
  end

  it 'goes on with resume and retry_failed, too' do
    expect { start_chain('c', { does: 'fail_at_first' }, {}) }.to raise_error('try 1')
    expect(Resque::JobChain.retry_failed('c')).to be(true)
    expect([status['status'], done]).to eq(['completed', %w[c:0 c:0 c:1]])
  end
end
