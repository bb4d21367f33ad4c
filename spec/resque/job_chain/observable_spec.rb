# frozen_string_literal: true

RSpec.describe Resque::JobChain::Observable do
  let(:log) { StringIO.new }
  let(:config) { Resque::JobChain.configuration }

  it 'tells observers, StatsD and the logger' do
    told = []
    config.on(:step_completed) { |*args| told << args }
    config.statsd_client = Class.new { define_method(:increment) { |name| told << name } }.new
    config.logger = Logger.new(log)
    described_class.notify(:step_completed, 'c', 1)
    expect(told).to eq([['c', 1], 'resque.job_chain.step_completed'])
    expect(log.string).to include('[resque-job-chain] step_completed: ["c", 1]')
  end

  it 'tells nobody where nobody listens' do
    Resque.logger = Logger.new(log)
    described_class.notify(:step_completed, 'c', 1)
    expect(log.string).to eq('')
  end

  it 'logs to Resque.logger what an observer raises, where chains have no logger of their own' do
    Resque.logger = Logger.new(log)
    config.on(:step_completed) { raise LoadError, 'bad' }
    described_class.notify(:step_completed, 'c', 1)
    expect(log.string).to include('observer of step_completed raised LoadError: bad')
  end

  it 'lets an interrupt through' do
    config.on(:step_completed) { raise Interrupt }
    expect { described_class.notify(:step_completed, 'c', 1) }.to raise_error(Interrupt)
  end
end
