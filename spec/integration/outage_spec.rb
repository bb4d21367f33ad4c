# frozen_string_literal: true

# A server that answers, but can't serve: what it says is of itself, and passes.
RSpec.describe 'An outage that Redis tells of' do
  let(:server) { RedisServer.another }

  before do
    server.client.flushall
    refuse_writes(false)
    Resque.redis = Redis.new(url: server.url, timeout: 5)
  end

  after { refuse_writes(false) }

  def redis
    server.client
  end

  # NOREPLICAS, for all that writes.
  def refuse_writes(refused = true) # rubocop:disable Style/OptionalBooleanParameter
    redis.config(:set, 'min-replicas-to-write', refused ? 1 : 0)
  end

  def patience(seconds)
    Resque::FairShare.configure { |config| config.patience = seconds }
  end

  def worker(*queues, **options)
    url = server.url
    WorkerProcess.start(*queues, **options) do
      Resque.redis = Redis.new(url: url, timeout: 5)
      yield if block_given?
    end
  end

  def waiters
    redis.info('clients')['blocked_clients'].to_i
  end

  [true, false].each do |forking|
    context(forking ? 'with a fork per job' : 'without a fork per job') do
      it "is not a step's failure: the chain goes on when it is over" do
        start_chain('c', { does: 'hold', on_failure: :retry }, {})
        process = worker('steps', fork_per_job: forking)
        wait_until { holding_steps.any? && waiters == 1 }
        redis.multi { |all| all.rpush('resque:spec:go:0', 'go') && all.config(:set, 'min-replicas-to-write', 1) }
        sleep 1 # for as long as it is out
        refuse_writes(false)
        wait_until { status['status'] == 'completed' }
        process.quit
        expect([done, failures]).to eq([%w[c:0 c:1], []])
      end

      it "that outlasts the patience of a step's end is not its failure either" do
        patience(0.5)
        start_chain('c', { does: 'hold', on_failure: :retry }, {})
        process = worker('steps', fork_per_job: forking) do
          # The worker's own patience is the longer one.
          parent = Process.pid
          Resque.after_fork { Resque::FairShare.configuration.patience = 0.2 } if forking
          Resque::FairShare.configuration.patience = forking && Process.pid == parent ? 20 : 0.2
        end
        wait_until { holding_steps.any? && waiters == 1 }
        redis.multi { |all| all.rpush('resque:spec:go:0', 'go') && all.config(:set, 'min-replicas-to-write', 1) }
        sleep 1
        refuse_writes(false)
        if forking
          wait_until { status['status'] == 'completed' }
          process.quit
        else
          wait_until { process.ended? }
          expect(status['status']).to eq('running')
        end
        expect([done.first, failures]).to eq(['c:0', []])
      end
    end
  end

  it 'is waited out by a worker that is idle' do
    process = worker('fair', fork_per_job: false)
    wait_until { process.registered? }
    enqueue('a', 1)
    wait_until { done == %w[a:0] }
    refuse_writes
    sleep 0.5
    refuse_writes(false)
    enqueue('a', 1, n: 1)
    wait_until { done.size == 2 }
    process.quit
    expect_drained
  end

  it 'is told at once to who enqueues, in the words of the server' do
    refuse_writes
    began = now
    expect { enqueue('a', 1) }.to raise_error(Redis::CommandError, /NOREPLICAS/)
    expect(now - began).to be < 0.5
  end

  # Its child's patience is the shorter one.
  def worker_with_patience(seconds, **options)
    worker('fair', **options) do
      Resque.after_fork { Resque::FairShare.configuration.patience = 0.2 }
      Resque::FairShare.configuration.patience = seconds
    end
  end

  describe 'when the failure of a fair job is to be written' do
    def fail_in_an_outage(process)
      wait_until { redis.llen('resque:spec:holding') == 1 && waiters == 1 }
      redis.multi { |all| all.rpush('resque:spec:go', 'go') && all.config(:set, 'min-replicas-to-write', 1) }
      yield process
      refuse_writes(false)
    end

    # Its note that it ended is a write, and raises.
    before { enqueue('a', 1, then: :hold) }

    it 'is waited out by the worker where its child could not: the job is in the failed list' do
      process = worker_with_patience(20)
      fail_in_an_outage(process) { wait_until { process.children.empty? } }
      wait_until { failed.any? }
      process.quit
      expect([failed.size, failed.first.first]).to eq([1, 'a:0'])
      expect_drained
    end

    it 'ends a worker whose patience ends; record and lease stay until the job is in the failed list' do
      process = worker_with_patience(0.2)
      fail_in_an_outage(process) { wait_until { process.ended? } }
      expect([failed, leases.size, redis.exists?("resque:worker:#{process.id}")]).to eq([[], 1, true])
      worker('fair', interval: 0).wait
      redis.hset('resque:fair_share:fair:state', 'reconciled', 0) if leases.any?
      expect(failed).to eq([%w[a:0 Resque::DirtyExit]])
      expect_drained
    end
  end

  describe 'at the reconnect of a child' do
    let(:proxy) { RefusingProxy.new(server.port) }

    after { proxy.stop }

    def worker_behind_proxy(patience)
      url = proxy.url
      worker('fair', 'steps') do
        Resque.redis = Redis.new(url: url, timeout: 5)
        parent = Process.pid
        Resque::FairShare.configuration.define_singleton_method(:patience) { Process.pid == parent ? 20 : patience }
        proxy.stop_here
        server_client = Redis.new(url: server.url)
        Resque.before_fork { server_client.set('spec:forking', 1) && server_client.blpop('spec:fork', timeout: 20) }
      end
    end

    # LOADING, from the fork on.
    def load_at_fork
      wait_until { redis.exists?('spec:forking') }
      proxy.refuse('LOADING Redis is loading the dataset in memory')
      redis.rpush('spec:fork', 'go')
      yield
      proxy.refuse(nil)
    end

    it 'is waited out by the child' do
      enqueue('a', 1)
      process = worker_behind_proxy(20)
      load_at_fork { sleep 0.5 }
      wait_until { done.any? && leases.empty? }
      process.quit
      expect([done, failed]).to eq([%w[a:0], []])
      expect_drained
    end

    {
      'a fair job, which goes back into its partition' => ['a:0', -> { enqueue('a', 1) }],
      'a plain step, which goes back into its queue' => ['c:0', -> { start_chain('c', {}) }]
    }.each do |what, (job, start)|
      it "that outlasts its patience is no failure of #{what}" do
        instance_exec(&start)
        process = worker_behind_proxy(0.5)
        load_at_fork do
          wait_until { process.children.any? }
          wait_until { process.children.empty? }
        end
        redis.rpush('spec:fork', 'go')
        wait_until { done == [job] && leases.empty? }
        process.quit
        expect(failed).to eq([])
      end
    end
  end

  it 'does not end the thread that sends the heartbeat' do
    process = worker('fair') { Resque.heartbeat_interval = 1 }
    wait_until { process.registered? }
    refuse_writes
    sleep 1.5 # some beats
    refuse_writes(false)
    redis.hset('resque:workers:heartbeat', process.id, 'none')
    beat = wait_until { redis.hget('resque:workers:heartbeat', process.id).then { |time| time if time != 'none' } }
    expect(Time.parse(beat)).to be_within(5).of(Time.now)
    process.quit
  end

  it 'of which the record of a dead worker tells that the step was performed: the prune advances the chain' do
    start_chain('c', { account_id: 'a', on_failure: :retry }, { account_id: 'a' }, job: Jobs::FairStep)
    payload = take('fair').payload.merge('job_chain_performed' => true)
    redis.set('resque:worker:elsewhere:12:fair', { queue: 'fair', payload: payload }.to_json)
    dead = Resque::Worker.find('elsewhere:12:fair', skip_exists: true)
    dead.unregister_worker(Resque::PruneDeadWorkerDirtyExit.new(dead.to_s, 'Jobs::FairStep'))
    expect([step_statuses, failures, done]).to eq([%w[completed running], [], []])
  end
end
