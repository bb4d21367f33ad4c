# frozen_string_literal: true

require 'resque/failure/redis_multi_queue'

# A failed job that is put back goes the same way as a new one: into its partition, under its cap, and runs once (R105).
RSpec.describe 'Requeueing failed jobs' do
  around do |example|
    backend = Resque::Failure.backend
    example.run
  ensure
    Resque::Failure.backend = backend
  end

  # They fail the first time only.
  let(:job_class) do
    stub_const('Jobs::FailsOnce', Class.new(Jobs::Fair) do
      def self.perform(params)
        super
        raise 'the first time' if Resque.redis.sadd?('spec:tried', params['n'])
      end
    end)
  end

  def fail_jobs(account, count, queue = 'fair')
    count.times do
      n = redis.incr('resque:spec:n')
      Resque.enqueue_to(queue, job_class, account_id: account, n: n)
    end
    WorkerProcess.drain(queue, fork_per_job: false)
    redis.del('resque:spec:done')
  end

  def expect_back_in_partitions(counts, queue = 'fair')
    expect(counts.keys.to_h { |account| [account, waiting(account, queue)] }).to eq(counts)
    expect(redis.lrange("resque:queue:#{queue}", 0, -1)).to eq(['null'] * counts.values.sum)
    expect_consistent(queue)
  end

  def expect_run_once(*names)
    WorkerProcess.drain('fair', 'other', fork_per_job: false)
    expect(done.sort).to eq(names.sort)
    expect_drained
  end

  it 'Failure.requeue puts one back' do
    fail_jobs('a', 2)
    Resque::Failure.requeue(1)
    expect_back_in_partitions('a' => 1)
    expect(Resque::Failure.all(1)['retried_at']).to match(/\d{4}/)
    expect_run_once('a:2')
  end

  it 'Failure.requeue_queue puts back those of one queue' do
    fail_jobs('a', 2)
    fail_jobs('b', 1, 'other')
    Resque::Failure.requeue_queue('fair')
    expect([waiting('a'), Resque.size('other')]).to eq([2, 0])
    expect_back_in_partitions('a' => 2)
    expect_run_once('a:1', 'a:2')
  end

  it 'Failure.requeue_all puts back all' do
    fail_jobs('a', 2)
    fail_jobs('b', 3)
    Resque::Failure.requeue_all
    expect_back_in_partitions('a' => 2, 'b' => 3)
    expect_run_once('a:1', 'a:2', 'b:3', 'b:4', 'b:5')
  end

  it 'RedisMultiQueue does it too: requeue, requeue_queue and requeue_all' do
    Resque::Failure.backend = Resque::Failure::RedisMultiQueue
    fail_jobs('a', 3)
    fail_jobs('b', 1, 'other')
    Resque::Failure.requeue(2, :fair_failed)
    expect_back_in_partitions('a' => 1)
    expect_run_once('a:3')

    redis.del('resque:spec:done')
    Resque::Failure.requeue_all
    expect_back_in_partitions('a' => 3)
    expect_back_in_partitions({ 'b' => 1 }, 'other')
    expect_run_once('a:1', 'a:2', 'a:3', 'b:4')

    Resque::Failure.clear(:fair_failed)
    Resque::Failure.requeue_queue('other')
    expect_back_in_partitions({ 'b' => 1 }, 'other')
  end

  it 'keeps the cap' do
    Resque::FairShare.configure { |config| config.max_in_flight = 1 }
    fail_jobs('a', 3)
    Resque::Failure.requeue_all
    job = reserve
    expect([reserve, in_flight('a'), waiting('a')]).to eq([nil, 1, 2])
    job.perform
    expect_consistent
    expect_run_once('a:1', 'a:2', 'a:3')
  end

  it 'does not carry the lease of the failed run along' do
    fail_jobs('a', 1)
    expect(Resque::Failure.all(0)['payload']).to include('fair_share_lease')
    Resque::Failure.requeue(0)
    expect(Resque.peek('fair').keys).to eq(%w[class args])
  end

  it 'Job#recreate puts a copy of a running job into its partition' do
    enqueue('a', 1)
    job = reserve
    job.recreate
    expect([in_flight('a'), waiting('a')]).to eq([1, 1])
    job.perform
    expect_run_once('a:0', 'a:0')
  end
end
