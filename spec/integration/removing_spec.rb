# frozen_string_literal: true

# What takes jobs out of a queue without running them. Each returns the number of jobs that are gone.
RSpec.describe 'Removing jobs from a fair queue' do
  def push_raw(payload, queue = 'fair')
    redis.rpush("resque:queue:#{queue}", payload)
  end

  def expect_left(number)
    expect([Resque.size('fair'), redis.llen('resque:queue:fair')]).to eq([number, number])
    expect_consistent
  end

  describe 'Resque.dequeue' do
    it 'with arguments removes the jobs that have them, and no other' do
      enqueue('a', 3)
      2.times { enqueue('b', 1, n: 0) }
      expect(Resque.dequeue(Jobs::Fair, account_id: 'a', n: 1)).to eq(1)
      expect([pending('a'), waiting('a')]).to eq([2, 2])
      expect(Resque.dequeue(Jobs::Fair, account_id: 'b', n: 0)).to eq(2)
      expect([pending('b'), Resque.dequeue(Jobs::Fair, account_id: 'b', n: 0)]).to eq([0, 0])
      expect_left(2)
      2.times { reserve.perform }
      expect(done).to eq(%w[a:0 a:2])
      expect_drained
    end

    it 'goes by what the arguments are: other order of keys, Symbols or Strings (R103)' do
      enqueue('a', 1, n: 1, list: [1, { x: :y }])
      same = { 'list' => [1, { 'x' => 'y' }], n: 1, 'account_id' => :a }
      other = same.merge(n: 2)
      expect([Resque.dequeue(Jobs::Fair, other), Resque.dequeue(Jobs::Fair, same)]).to eq([0, 1])
      expect_drained
    end

    it 'finds a payload with further top-level keys, such as those of tracing' do
      Resque.push('fair', class: 'Jobs::Fair', args: [{ account_id: 'a', n: 0 }], traceparent: '00-ab-cd-01')
      Resque.push('fair', traceparent: '00-ef-01', args: [{ account_id: 'a', n: 0 }], class: 'Jobs::Fair')
      expect(Resque.dequeue(Jobs::Fair, account_id: 'a', n: 0)).to eq(2)
      expect_drained
    end

    it 'without arguments removes all jobs of the class, in all partitions and pushed by others, and leaves the rest' do
      %w[a b c].each { |account| enqueue(account, 4) }
      enqueue('a', 2, job: Jobs::Counted)
      Resque.enqueue(Jobs::Plain, 1)
      push_raw('{"class":"Jobs::Fair","args":[{"account_id":"z","n":0}]}')
      push_raw('{"class":"Jobs::Plain","args":[2]}')
      expect(Resque.dequeue(Jobs::Fair)).to eq(13)
      expect(Resque.size('fair')).to eq(4)
      expect(Resque.peek('fair', 0, 10).map { |payload| payload['class'] }.tally)
        .to eq('Jobs::Counted' => 2, 'Jobs::Plain' => 2)
      expect(Resque.dequeue(Jobs::Plain)).to eq(2)
      expect(Resque.dequeue(Jobs::Counted)).to eq(2)
      expect_drained
    end

    it 'removes what is at its cap or paused' do
      Resque::FairShare.configure { |config| config.max_in_flight = 1 }
      enqueue('a', 3)
      job = reserve
      expect([Resque.dequeue(Jobs::Fair, account_id: 'a', n: 1), Resque.dequeue(Jobs::Fair)]).to eq([1, 1])
      expect([Resque::FairShare.queue('fair').stats.values_at(:pending, :runnable, :parked), in_flight('a')])
        .to eq([[0, 0, 0], 1])
      job.perform
      expect_drained
    end

    it 'of the last job that somebody else pushed leaves no key behind' do
      enqueue('a', 1)
      push_raw('{"class":"Jobs::Plain","args":[1]}')
      reserve.perform
      expect(Resque.dequeue(Jobs::Plain, 1)).to eq(1)
      expect_drained
    end

    it 'is not stopped by what is no job' do
      Resque.push('fair', 1)
      enqueue('a', 1)
      ['1', '"str"', 'not json', '[]'].each { |poison| push_raw(poison) }
      Resque.enqueue(Jobs::Plain, 'lane')
      expect([Resque.dequeue(Jobs::Plain, 'lane'), Resque.dequeue(Jobs::Fair, account_id: 'a', n: 0)]).to eq([1, 1])
      expect(Resque.size('fair')).to eq(5)
    end

    it 'works on 20,000 jobs in one partition and 2,000 partitions (R079)' do
      Resque::FairShare.enqueue_all(Jobs::Fair, Array.new(20_000) { |n| [{ account_id: 'a', n: n % 19_990 }] })
      Resque::FairShare.enqueue_all(Jobs::Fair, Array.new(2_000) { |n| [{ account_id: n, n: 0 }] })
      expect(Resque.dequeue(Jobs::Fair, account_id: 'a', n: 3)).to eq(2)
      expect(Resque.size('fair')).to eq(21_998)
      expect(Resque.remove_queue('fair')).to be_truthy
      expect_drained
    end
  end

  it 'Job.destroy removes from the queue that it is given' do
    enqueue('a', 2)
    2.times { |n| Resque.enqueue_to(:other, Jobs::Fair, account_id: 'a', n: n) }
    expect(Resque::Job.destroy(:other, Jobs::Fair, account_id: 'a', n: 0)).to eq(1)
    expect(Resque::Job.destroy(:other, 'Jobs::Fair')).to eq(1)
    expect([Resque.size(:other), Resque.size(:fair)]).to eq([0, 2])
    expect_consistent
  end

  it 'remove_from_queue with a peeked job, encoded, removes it: what the page of Resque 3.2 does' do
    enqueue('a', 3)
    data = Resque.encode(Resque.peek('fair', 1, 1))
    expect(Resque.data_store.remove_from_queue('fair', data)).to eq(1)
    expect(Resque.peek('fair', 0, 5).map { |payload| payload['args'].first['n'] }).to eq([0, 2])
    expect_left(2)
  end

  it 'leaves a plain queue to stock: by bytes' do
    push_raw('{"class":"Jobs::Plain","args":[1]}', 'plain')
    push_raw('{"args":[1],"class":"Jobs::Plain"}', 'plain')
    expect(Resque::Job.destroy('plain', Jobs::Plain, 1)).to eq(1)
    expect(redis.lrange('resque:queue:plain', 0, -1)).to eq(['{"args":[1],"class":"Jobs::Plain"}'])
  end

  describe 'Resque.remove_queue' do
    it 'leaves nothing: waiting jobs, those that others pushed, parked ones, settings, the name' do
      Resque::FairShare.configure { |config| config.weight = ->(_) { 2 } }
      enqueue('a', 2)
      enqueue('x' * 200, 2)
      push_raw('{"class":"Jobs::Plain","args":[1]}')
      queue = Resque::FairShare.queue('fair')
      queue.partition('a').pause
      queue.partition('gone').set(max_in_flight: 3)
      Resque.remove_queue('fair')
      expect(redis.keys('*')).to eq([])
      expect([Resque.queues, Resque::FairShare.queues]).to eq([[], []])
    end

    it 'takes settings away also when nothing waits any more' do
      enqueue('a', 1)
      Resque::FairShare.queue('fair').partition('a').set(weight: 2)
      reserve.perform
      Resque.remove_queue('fair')
      expect_drained
    end

    it 'lets running jobs end, and then leaves nothing' do
      enqueue('a', 3)
      enqueue('b', 1)
      jobs = Array.new(2) { reserve }
      Resque.remove_queue('fair')
      expect([Resque.size('fair'), reserve, in_flight('a'), in_flight('b')]).to eq([0, nil, 1, 1])
      expect_consistent
      jobs.each(&:perform)
      expect(done.sort).to eq(%w[a:0 b:0])
      expect_drained
    end

    it 'is no end: the next job makes the queue anew' do
      enqueue('a', 2)
      job = reserve
      Resque.remove_queue('fair')
      enqueue('a', 1, n: 7)
      expect([Resque.queues, pending('a'), in_flight('a')]).to eq([['fair'], 1, 1])
      [job, reserve].each(&:perform)
      expect(done).to eq(%w[a:0 a:7])
      expect_drained
    end
  end
end
