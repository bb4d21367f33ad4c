# frozen_string_literal: true

RSpec.describe Resque::FairShare::Patches::JobReserve do
  it 'is gone through once by a worker' do
    allow(described_class).to receive(:leasing).and_call_original
    enqueue('a', 1)
    expect(Resque.reserve('fair')).not_to be_nil
    expect(described_class).to have_received(:leasing).once
  end

  it 'is there for a worker also where a plugin has put its own in the place of Job.reserve' do
    singleton = Resque::Job.singleton_class
    singleton.send(:alias_method, :reserve_of_spec, :reserve)
    singleton.define_method(:reserve) { |queue| (payload = Resque.pop(queue)) && Resque::Job.new(queue, payload) }
    enqueue('a', 1)
    expect(Resque::FairShare::Lease.of(Resque.reserve('fair'))).to have_attributes(payload: be_a(String))
  ensure
    singleton.define_method(:reserve, singleton.instance_method(:reserve_of_spec))
    singleton.remove_method(:reserve_of_spec)
  end
end
