# frozen_string_literal: true

RSpec.describe Resque::FairShare::Backlog do
  subject(:backlog) { Resque::FairShare::Queue.current('fair').backlog }

  def payload(account, number)
    Resque.encode(class: 'Jobs::Fair', args: [{ account_id: account, n: number }])
  end

  def from_tail
    found = []
    backlog.each_payload_from_tail { |payload| found << payload }
    found
  end

  it 'reads from the tail all payloads: of the main list without its tickets, and of every partition' do
    enqueue('a', 2)
    enqueue('y' * 200, 1)
    Resque.redis.rpush('queue:fair', payload('pushed', 0))
    Resque::FairShare.queue('fair').partition('a').pause
    expect(from_tail).to contain_exactly(payload('a', 0), payload('a', 1), payload('y' * 200, 0), payload('pushed', 0))
  end

  it 'reads from the tail each payload that stays while others are popped from the head' do
    stub_const("#{described_class}::PAGE", 2)
    enqueue('a', 7)
    found = []
    backlog.each_payload_from_tail do |payload|
      found << payload
      reserve if found.size == 3
    end
    expect(found).to match_array(Array.new(6) { |n| payload('a', n + 1) })
  end

  it 'knows where a payload waits, so that it is removed without its twin elsewhere' do
    2.times { enqueue('a', 1) }
    list = 'resque:fair_share:fair:sub:a'
    redis.rpush(list, redis.lindex(list, 0).sub(/\A\h{11}/, '1' * 11))
    waiting = backlog.everything
    expect(waiting).to eq([payload('a', 0)] * 3)
    expect(backlog.remove(waiting.last)).to eq(1)
    expect(redis.lrange(list, 0, -1)).not_to include(start_with('1' * 11))
  end
end
