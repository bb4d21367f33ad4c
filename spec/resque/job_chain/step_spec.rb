# frozen_string_literal: true

RSpec.describe Resque::JobChain::Step do
  let(:step) { described_class.new(Jobs::Step, args: { a: 1 }, on_failure: :retry, max_attempts: 4, queue: :high) }

  it 'becomes a Hash of JSON values, and is made from it again' do
    hash = { 'class' => 'Jobs::Step', 'args' => { 'a' => 1 }, 'on_failure' => 'retry', 'max_attempts' => 4,
             'queue' => 'high' }
    expect(step.to_h).to eq(hash)
    expect(described_class.from_h(JSON.parse(JSON.generate(hash))))
      .to have_attributes(job_class: Jobs::Step, args: { 'a' => 1 }, on_failure: :retry, max_attempts: 4, queue: :high)
  end

  it 'is made from a Hash that leaves out what is nil' do
    expect(described_class.from_h('class' => 'Jobs::Step', 'queue' => 'x'))
      .to have_attributes(args: {}, on_failure: nil, max_attempts: nil, queue: :x, retry_delay: nil)
  end

  it 'keeps retry_delay' do
    step = described_class.new(Jobs::Step, retry_delay: [1, 2.5])
    expect(described_class.from_h(step.to_h).retry_delay).to eq([1, 2.5])
  end

  it 'raises NameError from a Hash whose class is gone' do
    expect { described_class.from_h('class' => 'Jobs::Nowhere', 'args' => {}) }.to raise_error(NameError, /Nowhere/)
  end

  it 'has the queue of its class, by @queue or by a method' do
    plain = stub_const('Jobs::WithVariable', Class.new { @queue = :by_variable })
    expect([described_class.new(plain).queue, described_class.new(Jobs::Step).queue]).to eq(%i[by_variable steps])
  end

  it 'merges declared arguments, context and whose step it is, in this order' do
    step = described_class.new(Jobs::Step, args: { a: 1, b: 1, _chain_id: 1 })
    expect(step.arguments('c', 3, 'b' => 2, c: 3, _step_index: 9))
      .to eq('a' => 1, 'b' => 2, 'c' => 3, '_chain_id' => 'c', '_step_index' => 3)
  end

  it 'refuses arguments that are no Hash' do
    expect { described_class.new(Jobs::Step, args: [1]) }.to raise_error(ArgumentError, /Jobs::Step are \[1\]/)
  end

  it 'is a proper Hash key' do
    expect({ step => 1 }[step]).to eq(1)
  end
end
