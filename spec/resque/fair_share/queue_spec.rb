# frozen_string_literal: true

RSpec.describe Resque::FairShare::Queue do
  subject(:queue) { Resque::FairShare.queue('fair') }

  def cap(number)
    Resque::FairShare.configure { |config| config.max_in_flight = number }
  end

  def counts
    queue.stats.except(:oldest_age, :mean_job_time)
  end

  # As if it had been enqueued so many seconds ago.
  def age_head(partition, seconds)
    key = "resque:fair_share:fair:sub:#{partition}"
    head = redis.lindex(key, 0)
    redis.lset(key, 0, format('%011x', head[0, 11].hex - (seconds * 1000)) + head[11..])
  end

  def age_lease(id, seconds)
    partition, started, rest = leases.fetch(id).split(' ', 3)
    redis.hset('resque:fair_share:fair:leases', id, "#{partition} #{started.to_i - (seconds * 1000)} #{rest}")
  end

  describe 'FairShare.queues' do
    it 'has the names of the queues that have waiting or running fair-share jobs, and no other' do
      enqueue('a', 1)
      Resque.enqueue_to('b:c', Jobs::Fair, account_id: 1)
      Resque.enqueue_to('plain', Jobs::Plain, 1)
      expect(Resque::FairShare.queues).to eq(%w[b:c fair])
      job = reserve
      expect(Resque::FairShare.queues).to eq(%w[b:c fair])
      job.perform
      expect(Resque::FairShare.queues).to eq(%w[b:c])
    end
  end

  describe '#stats' do
    it 'is all 0 and nil for a queue that nobody knows' do
      expect(Resque::FairShare.queue(:nobody).stats)
        .to eq(pending: 0, runnable: 0, in_flight: 0, partitions: 0, parked: 0, paused: 0, oldest_age: nil,
               mean_job_time: nil)
    end

    it 'counts what waits, what could start, what runs, and partitions' do
      enqueue('a', 3)
      enqueue('b', 2)
      Resque.enqueue(Jobs::Plain, 1)
      expect(counts).to eq(pending: 6, runnable: 6, in_flight: 0, partitions: 3, parked: 0, paused: 0)
      reserve
      expect(counts).to eq(pending: 5, runnable: 5, in_flight: 1, partitions: 3, parked: 0, paused: 0)
    end

    it 'counts as runnable what is neither at its cap nor paused, through every change' do
      cap 1
      enqueue('a', 3)
      enqueue('b', 2)
      expect(counts.values_at(:runnable, :parked)).to eq([5, 0])
      job = reserve # a, now at its cap
      expect(counts).to eq(pending: 4, runnable: 2, in_flight: 1, partitions: 2, parked: 1, paused: 0)
      enqueue('a', 2)
      queue.partition('b').pause
      expect(counts).to eq(pending: 6, runnable: 0, in_flight: 1, partitions: 2, parked: 2, paused: 1)
      enqueue('b', 1)
      queue.partition('idle').pause
      expect(counts).to eq(pending: 7, runnable: 0, in_flight: 1, partitions: 2, parked: 2, paused: 2)

      Resque.dequeue(Jobs::Fair, account_id: 'b', n: 1)
      expect(counts.values_at(:pending, :runnable)).to eq([6, 0])
      queue.partition('a').set(max_in_flight: 2)
      expect(counts).to eq(pending: 6, runnable: 4, in_flight: 1, partitions: 2, parked: 1, paused: 2)
      job.perform
      queue.partition('b').resume
      expect(counts).to eq(pending: 6, runnable: 6, in_flight: 0, partitions: 2, parked: 0, paused: 1)
      queue.partition('a').clear
      expect(counts.values_at(:pending, :runnable, :partitions)).to eq([2, 2, 1])
      expect_consistent
    end

    it 'keeps the runnable count right while workers run, fail and are paused' do
      cap 1
      8.times { |account| enqueue(account, 15, seconds: 0.001) }
      3.times { WorkerProcess.start('fair', interval: 0.01, fork_per_job: false) }
      wait_until do
        3.times { |account| queue.partition(account).then { |one| one.paused? ? one.resume : one.pause } }
        done.size > 80
      end
      3.times { |account| queue.partition(account).resume }
      wait_until { done.size == 120 && queue.stats[:in_flight].zero? }
      expect_drained
    end

    it 'has the age of the oldest waiting job in seconds, over all partitions, parked ones too' do
      enqueue('a', 2)
      enqueue('b', 2)
      expect(queue.stats[:oldest_age]).to be_between(0, 5)
      age_head('b', 100)
      expect(queue.stats[:oldest_age]).to be_between(100, 105)
      queue.partition('b').pause
      expect(queue.stats[:oldest_age]).to be_between(100, 105)
      queue.partition('b').clear
      expect(queue.stats[:oldest_age]).to be_between(0, 5)
    end

    it 'has the moving average of what jobs took, in seconds' do
      enqueue('a', 3)
      expect(queue.stats[:mean_job_time]).to be_nil
      [2, 18].each do |seconds|
        job = reserve
        age_lease(Resque::FairShare::Lease.of(job).id, seconds)
        job.perform
      end
      expect(queue.stats[:mean_job_time]).to be_within(0.3).of(2 + ((18 - 2) / 16.0))
    end
  end

  describe '#partitions' do
    before do
      Resque::FairShare.configure { |config| config.queue 'fair', max_in_flight: 2 }
      { 'a' => 3, 'b' => 5, 'c' => 4, 'd' => 1 }.each { |account, count| enqueue(account, count) }
      age_head('c', 30)
      age_head('a', 20)
      queue.partition('b').pause
    end

    def ids(**options)
      queue.partitions(**options).map(&:id)
    end

    it 'has them in the order in which they are served, parked ones last' do
      expect(ids).to eq(%w[a c d b])
      reserve
      expect([ids, ids(order: :next)]).to all(eq(%w[c d a b]))
    end

    it 'has them in every other order' do
      4.times { reserve } # a, c, d (which has drained then), a
      expect(ids(order: :pending)).to eq(%w[b c a])
      expect(ids(order: :in_flight)).to eq(%w[a c b])
      age_head('a', 50)
      age_head('c', 40)
      expect(ids(order: :oldest)).to eq(%w[a c b])
      expect(queue.partitions(order: :oldest).first.oldest_age).to be_between(50, 55)
    end

    it 'has pages' do
      described_class::ORDERS.each do |order|
        all = ids(order: order)
        expect(all.sort).to eq(%w[a b c d])
        expect((0..4).map { |offset| ids(order: order, limit: 1, offset: offset) }).to eq(all.zip + [[]])
        expect([ids(order: order, limit: 3, offset: 2), ids(order: order, limit: 0)]).to eq([all.last(2), []])
      end
    end

    it 'tells all of each' do
      reserve
      first = queue.partitions(order: :in_flight).first
      expect([first.id, first.pending, first.in_flight, first.weight, first.max_in_flight, first.paused?])
        .to eq(['a', 2, 1, 1.0, 2, false])
    end

    it 'gives ids as they were given, long ones too, and nil for the lane of jobs without partition' do
      Resque.remove_queue('fair')
      given = ['a:b', '%', 'sub', '😀 ä', 'x' * 129, 'y' * 5000, '']
      given.each { |id| enqueue(id, 1) }
      Resque.enqueue(Jobs::Plain, 1)
      expect(ids).to eq(given + [nil])
      expect(given.map { |id| queue.partition(id).id }).to eq(given)
      expect(queue.partition('z' * 300).id).to eq('z' * 300)
    end

    it 'refuses another order, and numbers that can’t be' do
      expect { queue.partitions(order: :name) }.to raise_error(ArgumentError, /:name/)
      expect { queue.partitions(limit: -1) }.to raise_error(ArgumentError, /limit is -1/)
      expect { queue.partitions(offset: 1.5) }.to raise_error(ArgumentError, /offset is 1.5/)
      expect { queue.running(limit: nil) }.to raise_error(ArgumentError, /limit is nil/)
    end
  end

  describe '#running' do
    it 'has the jobs that run, the longest first, a page at a time' do
      enqueue('a', 1)
      enqueue('y' * 200, 1)
      jobs = Array.new(2) { reserve }
      jobs.each_with_index { |job, nth| age_lease(Resque::FairShare::Lease.of(job).id, 100 - nth) }

      first, second = queue.running
      expect([first.id, first.partition]).to eq([Resque::FairShare::Lease.of(jobs[0]).id, 'a'])
      expect(first.worker).to eq("#{Socket.gethostname}:#{Process.pid}")
      expect(first.started_at).to be_within(5).of(Time.now - 100)
      expect(first.payload).to eq('class' => 'Jobs::Fair', 'args' => [{ 'account_id' => 'a', 'n' => 0 }])
      expect(second.partition).to eq('y' * 200)
      expect([queue.running(limit: 1, offset: 1).map(&:id), queue.running(offset: 2)]).to eq([[second.id], []])
    end

    it 'names the worker' do
      enqueue('a', 1, then: :hold)
      worker = WorkerProcess.start('fair')
      wait_until { holding.any? }
      expect(queue.running.map(&:worker)).to eq([worker.id])
      let_go
      wait_until { queue.running.empty? }
    end
  end

  it '#reconcile frees the slots of processes that are gone, and says how many' do
    enqueue('a', 3)
    Process.wait(fork { Array.new(2) { reserve } && exit!(0) })
    expect([queue.stats[:in_flight], queue.reconcile, queue.reconcile, counts.values_at(:pending, :in_flight)])
      .to eq([2, 2, 0, [3, 0]])
  end
end
