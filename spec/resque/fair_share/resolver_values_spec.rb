# frozen_string_literal: true

# What a block of fair_share_on may return.
RSpec.describe Resque::FairShare::Resolver do
  # As GlobalID::Identification makes it.
  let(:record) do
    Class.new do
      def to_gid
        Struct.new(:uri) { alias_method :to_s, :uri }.new('gid://shop/Account/42')
      end
    end.new
  end

  after { Jobs::Odd.rule = nil }

  def partition_for(value)
    Jobs::Odd.rule = ->(_) { value }
    described_class.partition(Jobs::Odd, '[{}]')
  end

  it 'takes text, a number, a boolean and a record for a partition' do
    expect(['a', :a, 1, true, false, 1.5, record].map { |value| partition_for(value) })
      .to eq(%w[a a 1 true false 1.5 Account/42])
  end

  it 'refuses anything else, naming its class: each such object has another text' do
    [Object.new, [1], { a: 1 }, Time.now, Class.new, 1r].each do |value|
      expect { partition_for(value) }.to raise_error(ArgumentError, /Jobs::Odd.*of class #{value.class}/)
    end
  end

  it 'lets keys give what JSON has, an Array or a Hash too' do
    found = [[1, 'x'], { b: 2 }].map do |value|
      described_class.partition(Jobs::Fair, Resque.encode([{ account_id: value }]))
    end
    expect(found).to eq(['[1,"x"]', '{"b":2}'])
  end

  it 'finds a record\'s partition by the record' do
    Jobs::Odd.rule = ->(_) { record }
    Resque.enqueue(Jobs::Odd, {})
    expect([Resque::FairShare.queue('fair').partition(record).pending, pending('Account%2F42') + pending('Account/42')])
      .to eq([1, 1])
  end
end
