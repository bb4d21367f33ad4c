# frozen_string_literal: true

RSpec.describe Resque::FairShare::Configuration do
  subject(:config) { described_class.new }

  it 'has the defaults of 0.1.0' do
    expect(config).to have_attributes(dequeue_strategy: :sub_queues, max_in_flight: 50, partition_key: :account_id,
                                      partition_index: nil, scan_size: 100, patience: 30, statsd_client: nil)
  end

  it 'has defaults for what is new' do
    expect(config).to have_attributes(weight: 1, charge: :time, connection: :auto, logger: nil)
  end

  {
    dequeue_strategy: [:round_robin, nil, 1], max_in_flight: [-1, 1.5, '5'], partition_key: ['', nil, 5],
    partition_index: [-1, '1'], scan_size: [0, nil], patience: [-1, nil, '3', Float::INFINITY],
    statsd_client: [Object.new], weight: [0, -1, Float::NAN, '2', nil],
    charge: [:bytes], connection: [:tcp]
  }.each do |name, wrong_values|
    it "refuses a wrong #{name}, naming the value" do
      wrong_values.each do |value|
        expect { config.public_send(:"#{name}=", value) }
          .to raise_error(ArgumentError, /#{name}.*#{Regexp.escape(value.inspect[0, 12])}/)
      end
    end
  end

  it 'gives one queue settings of its own' do
    config.max_in_flight = 7
    config.queue 'imports', max_in_flight: 5, charge: :jobs
    config.queue :mails, weight: 2
    expect([config.max_in_flight_of('imports'), config.charge_of('imports'), config.weight_of('imports', 'a')])
      .to eq([5, :jobs, nil])
    expect([config.max_in_flight_of('mails'), config.charge_of('mails'), config.weight_of('mails', 'a')])
      .to eq([7, :time, 2.0])
    expect { config.queue 'x', max_in_flight: -1 }.to raise_error(ArgumentError, /-1/)
  end

  it 'takes nil as no cap' do
    config.max_in_flight = nil
    expect(config.max_in_flight).to eq(0)
  end

  it 'asks a weight that is a lambda, by the partition\'s id as a String' do
    asked = []
    config.weight = ->(partition) { asked << partition and (partition == 'big' ? 3 : 1) }
    expect([config.weight_of('q', 'big'), config.weight_of('q', 'small')]).to eq([3.0, 1.0])
    expect(asked).to eq(%w[big small])
  end

  it 'refuses what such a lambda gives when it is no weight' do
    config.weight = ->(_) { 0 }
    expect { config.weight_of('q', 'acme') }.to raise_error(ArgumentError, /"acme".*0/)
  end

  it 'is back at the defaults after reset_configuration!' do
    Resque::FairShare.configure { |c| c.max_in_flight = 3 }
    Resque::FairShare.reset_configuration!
    expect(Resque::FairShare.configuration.max_in_flight).to eq(50)
  end
end
