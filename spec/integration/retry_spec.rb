# frozen_string_literal: true

require 'support/application'

begin
  require 'resque-retry'
rescue LoadError
  # Not in this bundle: with Resque 3 it needs Ruby 3.2.
  RSpec.describe 'resque-retry' do
    it 'works in a bundle of its own, with Resque 2.7' do
      more = { resque: '~> 2.7.0', 'resque-retry': '~> 1.8', rspec: '~> 3.13' }
      Application.with(:ours, **more) { |app| expect(app.rspec(__FILE__)).to match(/\b5 examples, 0 failures/) }
    end
  end
end

# resque-retry enqueues a failed job again, from its failure hook or by way of resque-scheduler.
RSpec.describe 'resque-retry', if: defined?(Resque::Plugins::Retry) do
  # @return [Class] a job class that fails the first `failures` times
  def retrying(failures: 1, delay: 0, way: :fail)
    stub_const('Jobs::Retried', Class.new(Jobs::Fair) do
      extend Resque::Plugins::Retry

      @retry_limit = 5
      @retry_delay = delay
      define_singleton_method(:perform) do |params|
        super(params)
        return unless Resque.redis.incr('spec:tries') <= failures

        public_send(way, params)
      end
    end)
  end

  def drain(**options)
    WorkerProcess.drain('fair', **options)
  end

  before { Resque::FairShare.configure { |config| config.max_in_flight = 1 } }

  [true, false].each do |forking|
    it "puts the job back into its partition #{forking ? 'from a child' : 'in the worker'}, and it runs again" do
      enqueue('a', 1, job: retrying(failures: 2))
      enqueue('b', 1)
      drain(fork_per_job: forking)
      expect(done.tally).to eq('a:0' => 3, 'b:0' => 1)
      expect_drained
    end
  end

  it 'leaves the retry waiting in the partition, its slot free, when the first run has ended' do
    enqueue('a', 1, job: retrying)
    job = reserve
    expect { job.perform }.to raise_error('told to fail')
    expect([waiting('a'), in_flight('a'), leases]).to eq([1, 0, {}])
    expect_consistent
    reserve.perform
    expect(done).to eq(%w[a:0 a:0])
    expect_drained
  end

  it 'with a delay goes by way of resque-scheduler' do
    enqueue('a', 1, job: retrying(delay: 1))
    drain(fork_per_job: false)
    expect([our_keys, Resque.count_all_scheduled_jobs]).to eq([[], 1])
    Resque::Scheduler.quiet = true
    wait_until { Resque.next_delayed_timestamp }
    Resque::Scheduler.handle_delayed_items
    expect(waiting('a')).to eq(1)
    drain(fork_per_job: false)
    expect(done).to eq(%w[a:0 a:0])
    expect_drained
  ensure
    Resque::Scheduler.release_master_lock
  end

  it 'after the child was killed (DirtyExit) the retry runs under a slot of its own' do
    enqueue('a', 1, job: retrying(way: :kill_self))
    enqueue('a', 1, n: 7)
    drain
    expect(done.tally).to eq('a:0' => 2, 'a:7' => 1)
    expect_drained
  end
end
