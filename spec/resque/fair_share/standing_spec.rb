# frozen_string_literal: true

RSpec.describe Resque::FairShare::Standing do
  subject(:standing) { described_class.new(native, Resque::FairShare::Connection.current.first) }

  let(:native) { instance_double(Resque::FairShare::Native::Queue) }
  let(:clock) { [0.0] }

  before { allow(Process).to receive(:clock_gettime).with(Process::CLOCK_MONOTONIC) { clock.last } }

  it 'takes a new queue as plain, and does not ask Redis about it' do
    standing.note(false)
    clock << 1000.0
    expect([standing.lane?, standing.fair?]).to eq([false, false])
  end

  it 'trusts that a queue is fair for some seconds, then asks again' do
    standing.seen_fair
    clock << described_class::FAIR_FOR.to_f
    expect(standing.lane?).to be(true)
    allow(native).to receive(:fair?).and_return(false)
    clock << (described_class::FAIR_FOR + 0.1)
    expect(standing.lane?).to be(false)
  end

  it 'asks again also about a queue that was fair before, but less often' do
    standing.seen_fair
    standing.note(false)
    clock << described_class::PLAIN_FOR.to_f
    expect(standing.lane?).to be(false)
    allow(native).to receive(:fair?).and_return(true)
    clock << (described_class::PLAIN_FOR + 0.1)
    expect(standing.lane?).to be(true)
  end

  it 'sends every pop through the scripts under legacy_scan, which has no lane' do
    Resque::FairShare.configure { |config| config.dequeue_strategy = :legacy_scan }
    standing.seen_fair
    expect([standing.lane?, standing.fair?]).to eq([false, true])
  end
end
