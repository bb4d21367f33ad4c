# frozen_string_literal: true

RSpec.describe Resque::JobChain::Configuration do
  subject(:config) { described_class.new }

  it 'has the defaults of 0.1.0' do
    expect(config).to have_attributes(default_strategy: :abort, default_max_attempts: 3, completed_chain_ttl: 86_400,
                                      statsd_client: nil, logger: nil)
  end

  {
    default_strategy: [:explode, nil, 1], default_max_attempts: [0, -1, 1.5, '3', nil],
    completed_chain_ttl: [0, -1, '60', nil], statsd_client: [Object.new]
  }.each do |name, wrong_values|
    it "refuses a wrong #{name}, naming the value" do
      wrong_values.each do |value|
        expect { config.public_send(:"#{name}=", value) }
          .to raise_error(ArgumentError, /#{Regexp.escape(value.inspect[0, 12])}/)
      end
    end
  end

  it 'knows the seven events of 0.1.0 and those that are new' do
    expect(described_class::EVENTS).to match_array(
      %i[chain_started step_completed chain_completed chain_failed step_retrying step_skipped step_stale step_vetoed
         chain_cancelled chain_paused chain_resumed chain_recovered]
    )
  end

  it 'keeps observers by event, in order, and takes a String' do
    first = proc {}
    second = proc {}
    config.on(:chain_started, &first)
    config.on('chain_started', &second)
    expect([config.observers_for(:chain_started), config.observers_for(:chain_failed)]).to eq([[first, second], []])
  end

  it 'refuses another event, and none to call' do
    expect { config.on(:chain_exploded) { nil } }
      .to raise_error(ArgumentError, /event is :chain_exploded.*:chain_started/)
    expect { config.on(nil) { nil } }.to raise_error(ArgumentError, /event is nil/)
    expect { config.on(:chain_started) }.to raise_error(ArgumentError, /block/)
  end

  it 'is back at the defaults after reset_configuration!, without observers' do
    Resque::JobChain.configure do |c|
      c.default_strategy = 'skip'
      c.on(:chain_started) { raise }
    end
    expect(Resque::JobChain.configuration.default_strategy).to eq(:skip)
    Resque::JobChain.reset_configuration!
    expect(Resque::JobChain.configuration).to have_attributes(default_strategy: :abort)
    expect(Resque::JobChain.configuration.observers_for(:chain_started)).to eq([])
  end
end
