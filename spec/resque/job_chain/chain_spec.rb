# frozen_string_literal: true

RSpec.describe Resque::JobChain::Chain do
  let(:steps) { [Resque::JobChain::Step.new(Jobs::Step)] }

  it 'can be made by hand, as in 0.1.0, and started' do
    chain = described_class.new(id: 'c', steps: steps, initial_context: { 'a' => 1 })
    expect(chain).to have_attributes(id: 'c', steps: steps, total_steps: 1, default_strategy: :abort, groups: [])
    expect([chain.start!, chain.start!, Resque::JobChain.context('c')]).to eq([true, false, { 'a' => 1 }])
  end

  it 'has the strategy of the configuration where it has none' do
    Resque::JobChain.configure { |config| config.default_strategy = :skip }
    expect(described_class.new(id: 'c', steps: steps).default_strategy).to eq(:skip)
    expect(described_class.new(id: 'c', steps: steps, default_strategy: 'retry').default_strategy).to eq(:retry)
  end

  it 'refuses to be without steps' do
    [nil, []].each do |none|
      expect { described_class.new(id: 'c', steps: none) }.to raise_error(ArgumentError, /"c" has no steps/)
    end
  end

  it 'refuses another strategy' do
    expect { described_class.new(id: 'c', steps: steps, default_strategy: :x) }.to raise_error(ArgumentError, /:x/)
  end
end
