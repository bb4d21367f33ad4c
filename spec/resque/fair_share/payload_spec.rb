# frozen_string_literal: true

RSpec.describe 'Payloads' do
  let(:values) do
    [
      [], {}, [[], {}, { 'tags' => [] }, [[]]],
      (2**53) + 1, 130_775_545_883_395_173, 10**30, -(2**63), 1.0, 1e-7, 1e16, -0.0,
      'emoji 😀', "\u0000", "\u001f\u007f\u2028", 'quote " and \\ and / and </script>', nil, true, false,
      90.times.inject([]) { |inner, _| [inner] }, 'x' * 100_000
    ]
  end

  def stored(partition)
    redis.lindex("resque:fair_share:fair:sub:#{partition}", 0)
  end

  it 'are stored as Resque encodes them, behind the server\'s time in eleven hex digits' do
    values.each_with_index do |value, index|
      before = redis.time.first * 1000
      Resque.enqueue(Jobs::Fair, { account_id: index, value: value })
      time, payload = stored(index).unpack('a11a*')
      expect(payload).to eq(Resque.encode(class: 'Jobs::Fair', args: [{ account_id: index, value: value }]).b)
      expect(time).to match(/\A\h{11}\z/)
      expect(time.to_i(16)).to be_between(before, before + 60_000)
    end
  end

  it 'come back as they were, with the lease as one more key' do
    values.each_with_index { |value, index| Resque.enqueue(Jobs::Fair, { account_id: index, value: value }) }
    payloads = Array.new(values.size) { reserve.payload }
    expect(payloads.map { |payload| payload.delete('fair_share_lease') }).to all(match(/\A\h+\z/))
    payloads.zip(values).each_with_index do |(payload, value), index|
      expect(payload).to eq('class' => 'Jobs::Fair', 'args' => [{ 'account_id' => index, 'value' => value }])
    end
  end

  it 'keep keys that others put beside class and args' do
    item = { class: 'Jobs::Fair', args: [{ account_id: 1 }], traceparent: '00-ab', 'timestamp' => 1.5 }
    Resque.push('fair', item)
    expect(stored(1)[11..]).to eq(Resque.encode(item))
    expect(reserve.payload).to include('traceparent' => '00-ab', 'timestamp' => 1.5)
  end

  it 'are written once: the main list has a ticket for each' do
    enqueue(1, 3)
    expect(redis.lrange('resque:queue:fair', 0, -1)).to eq(%w[null null null])
    expect(Resque.size('fair')).to eq(3)
    expect(redis.smembers('resque:queues')).to eq(['fair'])
  end
end
