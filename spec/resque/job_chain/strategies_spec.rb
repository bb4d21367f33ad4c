# frozen_string_literal: true

RSpec.describe Resque::JobChain::Strategies do
  it 'resolves names, Symbols and Strings' do
    strategies = { abort: described_class::Abort, 'retry' => described_class::Retry, skip: described_class::Skip }
    strategies.each do |name, strategy|
      expect([described_class.resolve(name), strategy::STRATEGY]).to eq([strategy, name.to_sym])
    end
  end

  it 'refuses other names, naming them' do
    [:explode, 'explode', nil, 1].each do |name|
      expect { described_class.resolve(name) }.to raise_error(ArgumentError, /Unknown strategy: #{name.inspect}/)
    end
  end
end
