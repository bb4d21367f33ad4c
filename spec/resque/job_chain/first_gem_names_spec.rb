# frozen_string_literal: true

RSpec.describe 'The names of resque-job-chain 0.1.0' do # rubocop:disable RSpec/DescribeClass -- a name, not a class
  it 'call the end of a step Executor' do
    start_chain('c', {}, {})
    expect(Resque::JobChain::Executor.new('c', 0).after_step).to eq('advanced')
    expect(Resque::JobChain::Executor).to be(Resque::JobChain::StepEnd)
  end
end
