# frozen_string_literal: true

# Limits and offsets of everything that returns a page.
RSpec.describe 'A page' do
  let(:readers) do
    queue = Resque::FairShare.queue('fair')
    [queue.method(:partitions), queue.method(:running), queue.partition('a').method(:jobs),
     Resque::JobChain.method(:chains), ->(**page) { queue.partitions(order: :oldest, **page) },
     ->(**page) { queue.partitions(order: :pending, **page) }]
  end

  [-1, nil, 1.0, '1', (2**53) + 1, 2**64, Float::NAN].each do |value|
    it "with #{value.inspect} is refused" do
      readers.each do |reader|
        expect { reader.call(limit: value) }.to raise_error(ArgumentError, /limit is/)
        expect { reader.call(offset: value) }.to raise_error(ArgumentError, /offset is/)
      end
    end
  end

  it 'has what there is, up to the largest limit and offset' do
    enqueue('a', 1)
    largest = 2**53
    expect(readers.map { |reader| reader.call(limit: largest).size }).to eq([1, 0, 1, 0, 1, 1])
    expect(readers.map { |reader| reader.call(limit: largest, offset: largest) }).to eq([[]] * 6)
    expect(readers.map { |reader| reader.call(limit: 0) }).to eq([[]] * 6)
  end

  it 'of no chain reads no index' do
    start_chain('c', {})
    redis.config(:resetstat)
    expect(Resque::JobChain.chains(limit: 0)).to eq([])
    expect(redis.info(:commandstats).keys & %w[eval evalsha zrevrange]).to eq([])
  end
end
