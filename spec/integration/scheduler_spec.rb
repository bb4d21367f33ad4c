# frozen_string_literal: true

begin
  require 'resque-scheduler'
rescue LoadError
  # There is none for this Ruby and this Resque.
end

# resque-scheduler's own process moves what is due; a fair-share job then takes its turn in its partition.
RSpec.describe 'resque-scheduler', if: defined?(Resque::Scheduler) do
  attr_reader :scheduler

  after { stop_scheduler }

  # @yield in the scheduler's process, before it runs
  def start_scheduler
    @scheduler = fork do
      Resque.redis = REDIS_URL
      Resque::Scheduler.configure do |config|
        config.quiet = true
        config.poll_sleep_amount = 0.05
      end
      yield if block_given?
      Resque::Scheduler.run
    ensure
      exit!
    end
  end

  def stop_scheduler
    return unless scheduler

    Process.kill(:KILL, scheduler)
    Process.wait(scheduler)
    @scheduler = nil
  end

  def expect_run_once(*names)
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(done.sort).to eq(names.sort)
    expect(redis.lrange('resque:failed', 0, -1)).to eq([])
    expect(our_keys).to eq([])
  end

  it 'moves jobs of enqueue_in and enqueue_at into their partitions, and they run once' do
    Resque.enqueue_in(1, Jobs::Fair, account_id: 'a', n: 0)
    Resque.enqueue_at(Time.now + 1, Jobs::Fair, account_id: 'b', n: 0)
    Resque.enqueue_at(Time.now + 600, Jobs::Fair, account_id: 'late', n: 0)
    expect([Resque.size('fair'), our_keys, Resque.count_all_scheduled_jobs]).to eq([0, [], 3])
    start_scheduler
    wait_until { Resque.size('fair') == 2 }
    expect([waiting('a'), waiting('b'), redis.lrange('resque:queue:fair', 0, -1)]).to eq([1, 1, %w[null null]])
    expect_consistent
    wait_until { Resque.count_all_scheduled_jobs == 1 }
    stop_scheduler
    expect_run_once('a:0', 'b:0')
  end

  it 'moves a batch for one time, each job once, while workers run (R108)' do
    at = Time.now - 1
    30.times { |n| Resque.delayed_push(at, class: 'Jobs::Fair', args: [{ account_id: n % 3, n: n }], queue: 'fair') }
    3.times { WorkerProcess.start('fair', fork_per_job: false) }
    start_scheduler { ENV['DELAYED_REQUEUE_BATCH_SIZE'] = '7' }
    wait_until { done.size >= 30 && Resque.delayed_queue_schedule_size.zero? && our_keys.empty? }
    expect(done.sort).to eq(Array.new(30) { |n| "#{n % 3}:#{n}" }.sort)
  end

  it 'handle_delayed_items does it in the caller’s process' do
    Resque.delayed_push(Time.now - 1, class: 'Jobs::Fair', args: [{ account_id: 'a', n: 0 }], queue: 'fair')
    Resque::Scheduler.quiet = true
    allow_master { Resque::Scheduler.handle_delayed_items }
    expect(waiting('a')).to eq(1)
    expect_run_once('a:0')
  end

  it 'keeps the cap' do
    Resque::FairShare.configure { |config| config.max_in_flight = 1 }
    3.times { |n| Resque.delayed_push(Time.now - 1, class: 'Jobs::Fair', args: [{ account_id: 'a', n: n }], queue: 'fair') }
    start_scheduler
    wait_until { Resque.size('fair') == 3 }
    expect([reserve.args.first['n'], reserve]).to eq([0, nil])
    expect_consistent
  end

  it 'takes a class as a String, to a queue of its own' do
    Resque.enqueue_in_with_queue('fair', 1, 'Jobs::Fair', account_id: 'a', n: 0)
    start_scheduler
    wait_until { waiting('a') == 1 }
    expect_run_once('a:0')
  end

  it 'may not know the job’s class: the worker that does puts the job into its partition' do
    Resque::FairShare.configure { |config| config.max_in_flight = 1 }
    enqueue('a', 1)
    2.times { |n| Resque.enqueue_in_with_queue('fair', 1, Jobs::Counted, account_id: 'a', n: n + 1) }
    start_scheduler { Jobs.send(:remove_const, :Counted) } # rubocop:disable RSpec/RemoveConst -- of a child
    wait_until { Resque.size('fair') == 3 }
    first = reserve
    expect([account_of(first), reserve, in_flight('a')]).to eq(['a', nil, 1])
    first.perform
    expect_run_once('a:0', 'a:1', 'a:2')
  end

  describe 'a job that can\'t be enqueued' do
    after { Jobs::Odd.rule = nil }

    def failures
      redis.lrange('resque:failed', 0, -1).map { |entry| JSON.parse(entry) }
    end

    it 'is refused when it is scheduled: without partition, or with what no worker could read' do
      [[{ n: 1 }], [{ account_id: 'a', n: Float::NAN }], [7]].each do |args|
        expect { Resque.enqueue_in(5, Jobs::Fair, *args) }.to raise_error(ArgumentError, /Jobs::Fair/)
        expect { Resque.enqueue_at(Time.now + 5, Jobs::Fair, *args) }.to raise_error(ArgumentError, /Jobs::Fair/)
        expect { Resque.enqueue_in_with_queue('fair', 5, Jobs::Fair, *args) }.to raise_error(ArgumentError)
      end
      expect([Resque.count_all_scheduled_jobs, our_keys]).to eq([0, []])
    end

    it 'raises the error of its own rule' do
      Jobs::Odd.rule = ->(_) { {}.fetch(:tenant) }
      expect { Resque.enqueue_in(5, Jobs::Odd, account_id: 'a') }.to raise_error(KeyError)
      expect(Resque.count_all_scheduled_jobs).to eq(0)
    end

    it 'ends in the failed list where its rule raises at its time only' do
      Resque.enqueue_in(1, Jobs::Odd, account_id: 'a', n: 0)
      start_scheduler { Jobs::Odd.rule = ->(_) { raise IOError, 'the database is down' } }
      wait_until { failures.any? }
      expect(failures).to match([include('exception' => 'IOError', 'error' => 'the database is down', 'queue' => 'fair',
                                         'payload' => include('class' => 'Jobs::Odd'))])
      stop_scheduler
      Resque::Failure.requeue(0)
      expect(waiting('a')).to eq(1)
    end

    it 'ends there as well where its class was not known when it was scheduled' do
      Resque.delayed_push(Time.now - 1, class: 'Jobs::Fair', args: [{ n: 0 }], queue: 'fair')
      Resque.enqueue_in_with_queue('fair', 1, 'Jobs::Fair', n: 1)
      start_scheduler
      wait_until { failures.size == 2 }
      expect(failures.map { |failure| failure['exception'] }).to eq(%w[ArgumentError ArgumentError])
    end

    it 'is left to the application\'s own failure handler' do
      Resque.delayed_push(Time.now - 1, class: 'Jobs::Fair', args: [{ n: 0 }], queue: 'fair')
      start_scheduler do
        handler = Class.new { def self.on_enqueue_failure(*) = Resque.redis.rpush('spec:done', 'handled') }
        Resque::Scheduler.failure_handler = handler
      end
      wait_until { done == ['handled'] }
      expect(failures).to eq([])
    end
  end

  it 'enqueues by cron' do
    start_scheduler do
      Resque.schedule = { 'tick' => { 'cron' => '* * * * * *', 'class' => 'Jobs::Fair', 'queue' => 'fair',
                                      'args' => { 'account_id' => 'cron', 'n' => 1 } } }
    end
    wait_until { waiting('cron') >= 2 }
    stop_scheduler
    count = waiting('cron')
    expect_run_once(*(['cron:1'] * count))
  end

  it 'removes a delayed job by its arguments, and its queue page finds waiting ones' do
    Resque.enqueue_in(600, Jobs::Fair, account_id: 'a', n: 0)
    expect(Resque.remove_delayed(Jobs::Fair, account_id: 'a', n: 0)).to eq(1)
    enqueue('a', 3)
    # What the search of its page does.
    expect(Resque.peek('fair', 0, Resque.size('fair')).map { |job| job['class'].downcase }).to eq(['jobs::fair'] * 3)
  end

  # handle_delayed_items moves nothing where another process is the master.
  def allow_master
    Resque::Scheduler.am_master = true if Resque::Scheduler.respond_to?(:am_master=)
    yield
  ensure
    Resque::Scheduler.release_master_lock
  end
end
