# frozen_string_literal: true

RSpec.describe 'Payloads' do
  ARGS = [
    [], {}, [[], {}, { 'tags' => [] }, [[]]], (2**53) + 1, 130_775_545_883_395_173, 10**30, -(2**63), 1.0, 1e-7, 1e16, -0.0,
    'emoji 😀', "\u0000", "\u001f\u007f\u2028", 'quote " and \\ and / and </script>', nil, true, false,
    90.times.inject([]) { |inner, _| [inner] }, 'x' * 100_000
  ].freeze

  def stored(partition)
    redis.lindex("resque:fair_share:fair:sub:#{partition}", 0)
  end

  it 'are stored as Resque encodes them, behind the server\'s time in eleven hex digits' do
    ARGS.each_with_index do |arg, index|
      before = redis.time.first * 1000
      Resque.enqueue(Jobs::Fair, { account_id: index, value: arg })
      time, payload = stored(index).unpack('a11a*')
      expect(payload).to eq(Resque.encode(class: 'Jobs::Fair', args: [{ account_id: index, value: arg }]).b)
      expect(time).to match(/\A\h{11}\z/)
      expect(time.to_i(16)).to be_between(before, before + 60_000)
    end
  end

  it 'come back as they were, with the lease as one more key' do
    ARGS.each_with_index { |arg, index| Resque.enqueue(Jobs::Fair, { account_id: index, value: arg }) }
    ARGS.each_with_index do |arg, index|
      job = reserve
      expect(job.payload.except('fair_share_lease')).to eq('class' => 'Jobs::Fair',
                                                           'args' => [{ 'account_id' => index, 'value' => arg }])
      expect(job.payload['fair_share_lease']).to match(/\A\h+\z/)
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

  describe 'the core\'s own encoder' do
    it 'gives the bytes of Resque.encode' do
      ARGS.grep_v(Float).each do |arg|
        item = { class: 'Jobs::Fair', 'args' => [arg, { sym: :sym, 'k' => arg }] }
        expect(Resque::FairShare::Native.encode(item)).to eq(Resque.encode(item))
      end
    end

    it 'leaves what it can\'t know to Resque.encode' do
      with_to_json = Class.new { def to_json(*) = '"mine"' }.new
      [Time.now, 1.0, Rational(1, 3), with_to_json, Class.new(String).new('x'), "\xff", 'ü'.encode('ISO-8859-1'),
       Float::NAN, { 1 => 2 }].each do |odd|
        expect(Resque::FairShare::Native.encode([odd])).to be_nil
      end
    end
  end
end
