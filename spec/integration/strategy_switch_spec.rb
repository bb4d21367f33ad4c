# frozen_string_literal: true

# The strategy may be changed on a live queue, in either direction and at any time: nothing is lost, nothing runs twice.
RSpec.describe 'A switch of dequeue_strategy' do
  def strategy(name)
    Resque::FairShare.configure { |config| config.dequeue_strategy = name }
  end

  def expect_each_once(jobs)
    expect(done.sort).to eq(jobs.sort)
    expect_drained
  end

  def enqueue_under(name, account, count, from: 0, job: Jobs::Fair)
    strategy(name)
    count.times { |n| enqueue(account, 1, n: from + n, job: job) }
    Array.new(count) { |n| "#{account}:#{from + n}" }
  end

  def both_ways(count)
    %w[a b c].flat_map do |account|
      enqueue_under(:sub_queues, account, count) + enqueue_under(:legacy_scan, account, count, from: count)
    end
  end

  {
    'from legacy_scan to sub_queues' => %i[legacy_scan sub_queues],
    'from sub_queues to legacy_scan' => %i[sub_queues legacy_scan]
  }.each do |name, (old, new)|
    describe name do
      it 'serves what waited, and leaves no key' do
        jobs = enqueue_under(old, 'a', 5) + enqueue_under(old, 'b', 5)
        strategy(new)
        WorkerProcess.drain('fair')
        expect_each_once(jobs)
      end

      it 'serves what waited and what comes' do
        jobs = enqueue_under(old, 'a', 150) + enqueue_under(new, 'a', 5, from: 150) + enqueue_under(new, 'b', 5)
        WorkerProcess.drain('fair', fork_per_job: false)
        expect_each_once(jobs)
      end

      it 'keeps the cap over what the old strategy started and what the new one starts' do
        Resque::FairShare.configure { |config| config.max_in_flight = 2 }
        enqueue_under(old, 'a', 3)
        running = Array.new(2) { reserve }
        strategy(new)
        expect([in_flight('a'), reserve]).to eq([2, nil])
        running.first.perform
        expect([reserve&.args, reserve]).to eq([[{ 'account_id' => 'a', 'n' => 2 }], nil])
      end

      it 'lets a job that runs end, by its own lease' do
        enqueue_under(old, 'a', 1)
        job = reserve
        strategy(new)
        job.perform
        expect_each_once(['a:0'])
      end

      it 'keeps the cap over jobs that waited' do
        Resque::FairShare.configure { |config| config.max_in_flight = 1 }
        enqueue_under(old, 'a', 3)
        strategy(new)
        expect(Array.new(2) { reserve }.compact.size).to eq(1)
        expect(in_flight('a')).to eq(1)
      end
    end
  end

  it 'from sub_queues to legacy_scan keeps the order inside a partition' do
    jobs = enqueue_under(:sub_queues, 'a', 20) + enqueue_under(:legacy_scan, 'a', 20, from: 20)
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(done).to eq(jobs)
  end

  it 'loses and doubles nothing while workers of both strategies run and jobs come in under both' do
    Resque::FairShare.configure { |config| config.max_in_flight = 2 }
    %i[legacy_scan sub_queues].cycle.first(4).each do |name|
      WorkerProcess.start('fair', interval: 0.01, fork_per_job: false) { strategy(name) }
    end
    jobs = Array.new(12) do |round|
      enqueue_under(%i[legacy_scan sub_queues][round % 2], "t#{round % 5}", 25, from: round * 25, job: Jobs::Counted)
    end.flatten
    wait_until('all jobs', seconds: 40) { done.size >= jobs.size && our_keys.empty? }
    expect(redis.zrange('resque:spec:most', 0, -1, with_scores: true).map(&:last).max).to be <= 2
    expect_each_once(jobs)
  end

  it 'loses and doubles nothing when each worker changes its mind at each reserve' do
    jobs = both_ways(40)
    workers = Array.new(3) do
      WorkerProcess.start('fair', interval: 0.01, fork_per_job: false) do |worker|
        turns = 0
        change = -> { strategy((turns += 1).odd? ? :legacy_scan : :sub_queues) }
        worker.define_singleton_method(:reserve) { change.call && super() }
      end
    end
    wait_until('all jobs', seconds: 40) { done.size >= jobs.size && our_keys.empty? }
    workers.each(&:quit)
    expect_each_once(jobs)
  end

  it 'loses and doubles nothing when workers are killed meanwhile (kill -9)' do
    jobs = both_ways(60)
    6.times do |round|
      seen = done.size
      name = round.even? ? :legacy_scan : :sub_queues
      worker = WorkerProcess.start('fair', interval: 0.01, fork_per_job: round.odd?) { strategy(name) }
      wait_until { done.size >= [seen + 8, jobs.size].min }
      worker.kill
    end
    redis.del('resque:pruning_dead_workers_in_progress')
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(done.tally.values.max).to eq(1)
    expect((done | failed.map(&:first)).sort).to eq(jobs.sort)
    expect_drained
  end
end
