# frozen_string_literal: true

RSpec.describe Resque::JobChain::Context do
  before { start_chain('c', {}, a: 1) }

  it 'is loaded and updated by id, as in 0.1.0' do
    expect(described_class.update('c', b: [{}])).to eq('a' => 1, 'b' => [{}])
    expect(described_class.load('c')).to eq('a' => 1, 'b' => [{}])
  end

  it 'is a HASH with a JSON value for each key' do
    described_class.update('c', b: '1', n: nil)
    expect(redis.hgetall('resque:job_chain:c:context')).to eq('a' => '1', 'b' => '"1"', 'n' => 'null')
  end

  it 'answers an update with nothing in it' do
    expect(described_class.update('c')).to eq('a' => 1)
  end

  it 'is empty where there is no chain, and can’t be updated there' do
    expect(described_class.load('none')).to eq({})
    expect { described_class.update('none', a: 1) }.to raise_error(Resque::JobChain::MissingChain)
    expect(Resque::JobChain::MissingChain.ancestors).to include(Resque::JobChain::Error)
  end

  it 'takes a key of any text' do
    expect(described_class.update('c', 'ünï key': 1, '': 2)).to include('ünï key' => 1, '' => 2)
  end
end
