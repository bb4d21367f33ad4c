# frozen_string_literal: true

# What reads a queue, with Resque's own calls: a fair queue looks like a plain one that holds the same jobs.
RSpec.describe 'Reading a fair queue' do
  def push_raw(*jobs, command: :rpush)
    jobs.each { |name| redis.public_send(command, 'resque:queue:fair', %({"class":"Jobs::Plain","args":["#{name}"]})) }
  end

  # @return [String] "account:n" of a fair job, the argument of a plain one
  def name_of(payload)
    first = payload['args'].first
    first.is_a?(Hash) ? first.values_at('account_id', 'n').join(':') : first
  end

  # Pages through the queue as resque-web does, until there is nothing more.
  def names_by_pages_of(count)
    (0..200).each_with_object([]) do |nth, names|
      page = Resque.peek('fair', nth * count, count)
      page = [page].compact if count == 1
      return names if page.empty?

      names.concat(page.map { |payload| name_of(payload) })
    end
  end

  # LLEN is what exporters and autoscalers read.
  def expect_size(number, queue = 'fair')
    expect([Resque.size(queue), redis.llen("resque:queue:#{queue}"), Resque.queue_sizes[queue]]).to eq([number] * 3)
  end

  it 'size, queue_sizes, info and the raw list say how many jobs wait, after every kind of change' do
    enqueue('a', 3)
    enqueue('b', 2)
    Resque.enqueue_to(:other, Jobs::Fair, account_id: 'c', n: 0)
    expect_size(5)
    expect_size(1, 'other')
    expect([Resque.info[:pending], Resque.info[:queues], Resque.queues.sort]).to eq([6, 2, %w[fair other]])

    reserve.perform
    Resque.pop('fair')
    expect_size(3)
    Resque.dequeue(Jobs::Fair, account_id: 'b', n: 1)
    expect_size(2)
    push_raw('x')
    expect_size(3)
    Resque::FairShare.queue('fair').partition('a').clear
    expect_size(1)
    reserve
    expect_size(0)
  end

  it 'queues lists it once, also after it has drained, as stock Resque does' do
    enqueue('a', 2)
    2.times { reserve.perform }
    expect([Resque.queues, Resque.peek('fair'), Resque.peek('fair', 0, 20)]).to eq([['fair'], nil, []])
    expect_drained
  end

  describe 'peek' do
    it 'gives an object for a count of 1 and an Array for any other, as stock' do
      enqueue('a', 2)
      expect(Resque.peek('fair')).to eq('class' => 'Jobs::Fair', 'args' => [{ 'account_id' => 'a', 'n' => 0 }])
      expect(Resque.peek('fair', 1, 1)['args']).to eq([{ 'account_id' => 'a', 'n' => 1 }])
      expect(Resque.peek('fair', 0, 2).map { |payload| name_of(payload) }).to eq(%w[a:0 a:1])
      expect([Resque.peek('fair', 2), Resque.peek('fair', 2, 2)]).to eq([nil, []])
    end

    it 'gives the oldest job of all partitions first, whoever is served next' do
      enqueue('z', 1)
      wait_for_next_millisecond
      enqueue('a', 3)
      reserve # z, so that a is the next
      wait_for_next_millisecond
      enqueue('b', 1)
      expect(name_of(Resque.peek('fair', 0, 1))).to eq('a:0')
      Resque::FairShare.queue('fair').partition('a').pause
      expect(name_of(Resque.peek('fair', 0, 1))).to eq('a:0')
      expect(names_by_pages_of(2)).to eq(%w[a:0 a:1 a:2 b:0])
    end

    it 'shows each job once, oldest first, however large the pages are' do
      names = %w[z m a:b sub].each_with_index.flat_map do |account, nth|
        wait_for_next_millisecond
        enqueue(account, nth + 1)
        Array.new(nth + 1) { |n| "#{account}:#{n}" }
      end
      [1, 3, 7, 20].each { |count| expect(names_by_pages_of(count)).to eq(names) }
      expect(Resque.list_range('queue:fair', 0, 4).map { |payload| name_of(payload) }).to eq(names.first(4))
    end

    it 'shows plain jobs and those that others pushed, in front of tickets and behind them, each once' do
      push_raw('f1', 'f2')
      enqueue('a', 2)
      push_raw('b1')
      enqueue('b', 2)
      Resque.enqueue(Jobs::Plain, 'lane')
      push_raw('b2')
      push_raw('f0', command: :lpush)
      all = %w[f0 f1 f2 a:0 a:1 b:0 b:1 lane b1 b2]

      expect_size(10)
      [1, 2, 3, 4, 20].each do |count|
        names = names_by_pages_of(count)
        expect([names.first(3), names.last(2), names.sort]).to eq([%w[f0 f1 f2], %w[b1 b2], all.sort]), "by #{count}"
      end
    end

    it 'pages through 2,500 partitions without leaving out a job or showing one twice' do
      list = Array.new(2500) { |n| [{ account_id: "#{n % 7}:#{n}", n: n }] }
      Resque::FairShare.enqueue_all(Jobs::Fair, list)
      names = names_by_pages_of(250)
      expect(names.tally.select { |_, times| times > 1 }).to eq({})
      expect(names.size).to eq(2500)
    end

    it 'takes the start and the end from the tail where they are negative, as LRANGE does' do
      enqueue('a', 5)
      expect(name_of(Resque.peek('fair', -1))).to eq('a:4')
      expect(Resque.peek('fair', -2, 2).map { |payload| name_of(payload) }).to eq(%w[a:3 a:4])
      expect(Resque.peek('fair', 0, 0).map { |payload| name_of(payload) }).to eq(%w[a:0 a:1 a:2 a:3 a:4])
      expect(Resque.peek('fair', -3, 1)['args'].first['n']).to eq(2)
    end

    it 'reads no more of a long queue than the page' do
      Resque::FairShare.enqueue_all(Jobs::Fair, Array.new(5000) { |n| [{ account_id: n % 3, n: n }] })
      before = redis.info('stats')['total_net_output_bytes'].to_i
      Resque.peek('fair')
      Resque.peek('fair', 0, 20)
      expect(redis.info('stats')['total_net_output_bytes'].to_i - before).to be < 30_000
    end
  end

  it 'sample_queues has the jobs, and the size' do
    enqueue('a', 3)
    push_raw('x')
    sample = Resque.sample_queues(2)['fair']
    expect([sample[:size], sample[:samples].map { |payload| name_of(payload) }]).to eq([4, %w[a:0 a:1]])
    expect(Resque.sample_queues['fair'][:samples].size).to eq(4)
  end

  it 'everything_in_queue has the payload of each job, as it was encoded' do
    enqueue('a', 2, odd: [[], {}, (2**53) + 1])
    push_raw('x')
    payloads = Array.new(2) { |n| Resque.encode(class: 'Jobs::Fair', args: [{ account_id: 'a', n: n, odd: [[], {}, (2**53) + 1] }]) }
    expect(Resque.data_store.everything_in_queue('fair').sort)
      .to eq((payloads + ['{"class":"Jobs::Plain","args":["x"]}']).sort)
  end

  describe 'pop' do
    it 'gives the next job, its slot taken, and nil where there is none' do
      enqueue('a', 1)
      payload = Resque.pop('fair')
      expect(payload.slice('class',
                           'args')).to eq('class' => 'Jobs::Fair', 'args' => [{ 'account_id' => 'a', 'n' => 0 }])
      expect([in_flight('a'), pending('a'), Resque.pop('fair')]).to eq([1, 0, nil])
      expect(Resque::Job.new('fair', payload).perform).to be(true)
      expect(done).to eq(%w[a:0])
      expect_drained
    end

    it 'keeps the cap' do
      Resque::FairShare.configure { |config| config.max_in_flight = 1 }
      enqueue('a', 2)
      first = Resque.pop('fair')
      expect(Resque.pop('fair')).to be_nil
      Resque::Job.new('fair', first).perform
      expect(Resque.pop('fair')['args'].first['n']).to eq(1)
    end
  end

  it 'by one process is right while another empties the queue and fills it anew' do
    enqueue('a', 30)
    WorkerProcess.start('fair', fork_per_job: false)
    30.times do |n|
      Resque.enqueue(Jobs::Fair, account_id: 'b', n: n)
      Resque.peek('fair', 0, 20).each { |payload| name_of(payload) }
    end
    wait_until { done.size == 60 }
    wait_until { our_keys.empty? }
    expect(done.uniq.size).to eq(60)
    expect_size(0)
  end

  # Redis's own, by which the age of a job is told.
  def wait_for_next_millisecond
    clock = -> { redis.time.then { |seconds, micro| (seconds * 1000) + (micro / 1000) } }
    from = clock.call
    wait_until { clock.call > from }
  end
end
