# frozen_string_literal: true

# The readers of 0.1.0.
RSpec.describe Resque::JobChain::Persistence do
  before { start_chain('c', { x: 1, on_failure: :skip }, {}, a: [1]) }

  it 'loads the state, a step, the context and the active chains' do
    expect(described_class.load_state('c')).to include('status' => 'running', 'total_steps' => '2')
    expect(described_class.load_step('c', 0))
      .to have_attributes(job_class: Jobs::Step, args: { 'x' => 1 }, on_failure: :skip)
    expect(described_class.load_context('c')).to eq('a' => [1])
    expect(described_class.active_chains).to eq(['c'])
  end

  it 'has nothing of what is not there' do
    expect([described_class.load_state('none'), described_class.load_step('c', 2), described_class.load_step('none', 0),
            described_class.load_context('none')]).to eq([{}, nil, nil, {}])
  end

  it 'has nothing of an id that is no text' do
    ["\xff", "\xff".b, nil].each do |id|
      expect([described_class.load_state(id), described_class.load_context(id)]).to eq([{}, {}])
    end
  end

  it 'takes the bytes of an id for the id' do
    start_chain('ü', {})
    expect(described_class.load_state('ü'.b)['status']).to eq('running')
  end

  it 'merges a context of String or Symbol keys' do
    expect(described_class.merge_context('c', 'b' => 1, c: 2)).to eq('a' => [1], 'b' => 1, 'c' => 2)
  end

  it 'names the keys as they are in Redis' do
    keys = %i[state_key steps_key context_key].map { |name| described_class.public_send(name, 'c') }
    expect(keys).to eq(%w[resque:job_chain:c:state resque:job_chain:c:steps resque:job_chain:c:context])
    expect(redis.exists(*keys)).to eq(3)
  end

  it 'keeps a chain’s state in a HASH and its steps in a LIST of JSON, as 0.1.0' do
    expect(redis.type('resque:job_chain:c:state')).to eq('hash')
    expect(redis.lrange('resque:job_chain:c:steps', 0, -1).map { |json| JSON.parse(json) })
      .to eq([{ 'class' => 'Jobs::Step', 'args' => { 'x' => 1 }, 'on_failure' => 'skip', 'queue' => 'steps' },
              { 'class' => 'Jobs::Step', 'args' => {}, 'queue' => 'steps' }])
  end
end
