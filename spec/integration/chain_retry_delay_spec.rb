# frozen_string_literal: true

require_relative '../support/ruby_process'

begin
  require 'resque-scheduler'
rescue LoadError
  # There is none for this Ruby and this Resque.
end

# `retry_delay` goes through resque-scheduler.
RSpec.describe 'retry_delay' do
  include RubyProcess

  it 'is refused when the chain is built, where resque-scheduler is not loaded, and named' do
    output = run_ruby(<<~RUBY)
      require 'resque-fair-share-rs'
      require 'support/chain_jobs' if require('support/jobs')
      begin
        Resque::JobChain.build('c') { |chain| chain.step(Jobs::Step, retry_delay: 30) }
      rescue ArgumentError => e
        puts e.message
      end
    RUBY
    expect(output).to match(/retry_delay is 30, but resque-scheduler.*is not loaded/)
  end

  describe 'with resque-scheduler', if: defined?(Resque::Scheduler) do
    let(:schedulers) { [] }

    before { record_events }

    def start_scheduler
      schedulers << fork do
        Resque.redis = REDIS_URL
        Resque::Scheduler.configure do |config|
          config.quiet = true
          config.poll_sleep_amount = 0.05
        end
        Resque::Scheduler.run
      ensure
        exit!
      end
    end

    after do
      schedulers.each do |pid|
        Process.kill(:KILL, pid)
        Process.wait(pid)
      end
    end

    def perform(job)
      job.perform
    rescue StandardError => e
      job.fail(e)
    end

    # @return [Array<Integer>] seconds from now of what is delayed
    def delays
      Resque.delayed_queue_peek(0, 100).map { |at| at - Time.now.to_i }
    end

    it 'delays the retry as resque-scheduler has it, and its process moves it' do
      start_chain('c', { does: 'fail_at_first', on_failure: :retry, retry_delay: 1 }, {})
      perform(take)
      expect([queued, Resque.count_all_scheduled_jobs, status['step_status:0']]).to eq([[], 1, 'running'])
      at = Resque.delayed_queue_peek(0, 1).first
      expect(Resque.delayed_timestamp_peek(at, 0, 1))
        .to eq([{ 'class' => 'Jobs::Step', 'queue' => 'steps',
                  'args' => [{ 'does' => 'fail_at_first', '_chain_id' => 'c', '_step_index' => 0 }] }])
      expect(Resque.scheduled_at(Jobs::Step, does: 'fail_at_first', _chain_id: 'c', _step_index: 0)).to eq([at])
      start_scheduler
      wait_until { queued.size == 1 }
      work_off
      expect([status['status'], done, Resque.count_all_scheduled_jobs]).to eq(['completed', %w[c:0 c:0 c:1], 0])
      expect(redis.keys('resque:timestamps:*') + redis.keys('resque:delayed*')).to eq([])
      expect(events.drop(1).first).to eq(['step_retrying', 'c', 0, 1])
    end

    it 'is never early, with a fraction of a second neither' do
      start_chain('c', { does: 'fail', on_failure: :retry, retry_delay: 30.5, max_attempts: 2 })
      perform(take)
      expect(delays.first).to be_between(30, 32)
    end

    it 'may be a callable, which gets the number of attempts that have failed' do
      asked = []
      start_chain('c', { does: 'fail', on_failure: :retry, max_attempts: 4,
                         retry_delay: ->(attempt) { asked << attempt and attempt * 100 } })
      expect(asked).to eq([1, 2, 3])
      [100, 200, 300].each do |seconds|
        perform(take)
        expect(delays.first).to be_within(2).of(seconds)
        at = Resque.delayed_queue_peek(0, 1).first
        job = Resque.next_item_for_timestamp(at)
        Resque.enqueue_to(job['queue'], Jobs::Step, *job['args'])
      end
      perform(take)
      expect([status['status'], status['attempts:0']]).to eq(%w[failed 4])
    end

    it 'of 0 goes through it, too' do
      start_chain('c', { does: 'fail_at_first', on_failure: :retry, retry_delay: 0 })
      perform(take)
      expect(delays.first).to be_between(-1, 1)
    end

    it 'of a fair-share step: it returns to its partition' do
      start_chain('c', { account_id: 'a', does: 'fail_at_first', on_failure: :retry, retry_delay: 1 }, job: Jobs::FairStep)
      perform(take('fair'))
      expect(our_keys.grep(/sub:/)).to eq([])
      start_scheduler
      wait_until { waiting('a') == 1 }
      work_off
      expect(status['status']).to eq('completed')
    end

    it 'runs the schedule hooks, and one may veto' do
      stub_const('Jobs::Scheduled', Class.new(Jobs::Step) do
        def self.before_schedule_zz(params) = Resque.redis.rpush('spec:hooks', params['_step_index']) && params['good']
        def self.after_schedule_zz(*) = Resque.redis.rpush('spec:hooks', 'after')
      end)
      start_chain('c', { good: true, does: 'fail', on_failure: :retry, retry_delay: 60 }, job: Jobs::Scheduled)
      perform(take)
      expect(redis.lrange('resque:spec:hooks', 0, -1)).to eq(%w[0 after])
      start_chain('d', { good: false, does: 'fail', on_failure: :retry, retry_delay: 60 }, job: Jobs::Scheduled)
      perform(take)
      expect(status('d')).to include('status' => 'failed', 'step_status:0' => 'vetoed')
      expect(Resque.count_all_scheduled_jobs).to eq(1)
    end

    it 'is refused where it is no time, by its value' do
      [-1, 'soon', Float::NAN, Float::INFINITY, ->(_) {}].each do |value|
        expect { Resque::JobChain.build('c') { |chain| chain.step(Jobs::Step, retry_delay: value) } }
          .to raise_error(ArgumentError, /retry_delay is/)
      end
    end

    it 'is waited for by a chain that is cancelled meanwhile, without effect' do
      start_chain('c', { does: 'fail_at_first', on_failure: :retry, retry_delay: 1 }, {})
      perform(take)
      Resque::JobChain.cancel('c')
      start_scheduler
      wait_until { queued.size == 1 }
      work_off
      expect([done, status['status']]).to eq([%w[c:0], 'cancelled'])
    end
  end
end
