# frozen_string_literal: true

require_relative '../../demo/record'
require_relative '../../demo/tenants'
require_relative '../../demo/worker_time'

RSpec.describe Demo::WorkerTime do
  # @param jobs [Array<Array>] each a tenant, its start and its end; all were enqueued by second 10
  def worker_time(*jobs, weights: {})
    records = jobs.map { |tenant, started, ended| Demo::Record.new('id', tenant, 0, started, ended) }
    tenants = Demo::Tenants.new(small: 1, whale_jobs: 2, small_jobs: 2, weights: weights)
    described_class.new(records, tenants, 10)
  end

  it 'counts from the last enqueue until the first tenant has started its last job' do
    time = worker_time(['whale', 8, 11], ['a', 11, 12], ['whale', 12, 14], ['a', 14, 16])

    expect(time.window).to eq(2)
    expect(time.share(['whale'])).to be_within(0.001).of(1 / 2.0)
    expect(time.share(['a'])).to be_within(0.001).of(1 / 2.0)
    expect(time.jain).to be_within(0.001).of(1)
  end

  it 'has an index of 1/n when one tenant got everything' do
    time = worker_time(['whale', 10, 15], ['whale', 15, 20], ['a', 20, 25], ['a', 25, 30])
    expect(time.jain).to be_within(0.001).of(0.5)
    expect(time.share(%w[whale a])).to be_within(0.001).of(0.5)
  end

  it 'measures by weight' do
    jobs = [['whale', 10, 13], ['a', 13, 14], ['whale', 14, 18], ['a', 20, 21]]
    expect(worker_time(*jobs, weights: { 'whale' => 3 }).jain).to be_within(0.001).of(1)
    expect(worker_time(*jobs).jain).to be_within(0.001).of(0.8)
  end

  it 'knows nothing when never all were backlogged' do
    time = worker_time(['whale', 1, 2], ['whale', 2, 3], ['a', 11, 12])
    expect([time.window, time.jain, time.share(['a'])]).to eq([0, nil, nil])
  end
end
