# frozen_string_literal: true

# When a worker is done with a job, Resque makes one round trip. The release rides in it.
RSpec.describe 'The end of a job in a worker' do
  let(:worker) { Resque::Worker.new('fair').tap { |worker| worker.fork_per_job = false } }

  def perform_one(worker)
    worker.work_one_job
  end

  it 'costs no round trip of its own' do
    2.times { |n| Resque.enqueue(Jobs::Fair, account_id: 1, n: n) }
    2.times { Resque.push('plain', class: 'Jobs::Plain', args: [1]) }
    plain = Resque::Worker.new('plain').tap { |other| other.fork_per_job = false }
    [worker, plain].each { |each| perform_one(each) } # scripts are loaded, connections open

    # The first asks whether workers are paused; the job itself pushes.
    expect(commands_in(monitored { perform_one(worker) })).to eq(%w[get evalsha set rpush evalsha])
    expect(commands_in(monitored { perform_one(plain) })).to eq(%w[get lpop set rpush del incrby incrby])
  end

  it 'leaves in Redis what stock Resque leaves' do
    Resque.enqueue(Jobs::Fair, account_id: 1)

    perform_one(worker)

    expect(redis.exists?("resque:worker:#{worker}")).to be(false)
    expect(redis.get('resque:stat:processed')).to eq('1')
    expect(redis.get("resque:stat:processed:#{worker}")).to eq('1')
    expect(redis.keys('resque:fair_share:*')).to be_empty
  end

  describe 'its start' do
    def record
      redis.get("resque:worker:#{worker}")
    end

    it 'is noted as stock Resque notes it' do
      Resque.enqueue(Jobs::Fair, account_id: 1)
      job = worker.reserve

      worker.working_on(job)

      noted = Resque.decode(record)
      expect(noted.keys).to eq(%w[queue run_at payload])
      expect(noted).to include('queue' => 'fair', 'payload' => job.payload)
      expect(worker.job).to eq(noted)
    end

    it 'is known to the worker, which need not ask' do
      Resque.enqueue(Jobs::Fair, account_id: 1)
      worker.instance_variable_set(:@last_state, :idle)
      idle = []
      Resque.queue_empty { idle << worker }

      worker.working_on(worker.reserve)

      expect([worker.instance_variable_get(:@last_state), idle]).to eq([:working, []])
    ensure
      Resque.send(:clear_hooks, :queue_empty)
    end

    it 'is asked of Redis by whoever wants to know later, or from elsewhere' do
      Resque.enqueue(Jobs::Fair, account_id: 1)
      worker.reserve
      store = Resque.data_store

      store.set_worker_payload(worker, 'noted')
      redis.set("resque:worker:#{worker}", 'changed')

      expect(Thread.new { store.get_worker_payload(worker) }.value).to eq('changed')
      expect(Array.new(2) { store.get_worker_payload(worker.to_s) }).to eq(%w[noted changed])
      store.set_worker_payload(worker, 'noted')
      expect(Array.new(2) { store.get_worker_payload('another') }).to eq([nil, nil])
      store.set_worker_payload(worker, 'noted')
      store.worker_done_working(worker) { |redis:| redis.incrby('spec:done', 1) }
      expect(store.get_worker_payload(worker)).to be_nil
    end

    it 'is what was written last, by way of whichever connection' do
      Resque.enqueue(Jobs::Fair, account_id: 1)
      worker.reserve
      store = Resque.data_store
      store.set_worker_payload(worker, 'by the core')
      Resque::FairShare.configure { |config| config.connection = :ruby }

      store.set_worker_payload(worker, "by Resque's client")

      expect(store.get_worker_payload(worker)).to eq("by Resque's client")
    end

    it 'is asked of the Redis that Resque uses now' do
      Resque.enqueue(Jobs::Fair, account_id: 1)
      worker.reserve
      Resque.data_store.set_worker_payload(worker, 'here')
      Resque.redis = Redis::Namespace.new('other', redis: Redis.new(url: REDIS_URL))

      expect(Resque.data_store.get_worker_payload(worker)).to be_nil
    ensure
      Resque.redis = REDIS_URL
    end

    it 'is noted where Resque keeps its workers, when Redis was swapped meanwhile' do
      Resque.enqueue(Jobs::Fair, account_id: 1)
      job = worker.reserve
      Resque.redis = Redis::Namespace.new('other', redis: Redis.new(url: REDIS_URL))

      Resque.data_store.set_worker_payload(worker, Resque.encode(payload: job.payload))

      expect(record).to be_nil
      expect(Resque.data_store.get_worker_payload(worker)).to include(job.payload['fair_share_lease'])
      expect(redis.get("other:worker:#{worker}")).to include(job.payload['fair_share_lease'])
    ensure
      Resque.redis = REDIS_URL
    end

    it 'is left to a plugin that has put something in its place' do
      Resque.enqueue(Jobs::Fair, account_id: 1)
      workers = Resque::DataStore::Workers
      original = workers.instance_method(:set_worker_payload).super_method
      workers.send(:alias_method, :set_worker_payload, :set_worker_payload)
      workers.define_method(:set_worker_payload) { |worker, data| original.bind_call(self, worker, "#{data} ") }

      worker.working_on(worker.reserve)

      expect(record).to end_with('} ')
    ensure
      workers.define_method(:set_worker_payload, original)
    end
  end

  it 'lets whoever writes more into that round trip do so' do
    Resque.enqueue(Jobs::Fair, account_id: 1)
    def worker.processed!(redis: nil, **)
      super
      redis.hincrby('spec:more', 'jobs', 1)
    end

    perform_one(worker)

    expect(redis.hget('resque:spec:more', 'jobs')).to eq('1')
    expect(redis.get('resque:stat:processed')).to eq('1')
    expect(redis.exists?("resque:worker:#{worker}")).to be(false)
    expect(leases).to be_empty
  end

  it 'counts where the counters are kept, when that is not Redis' do
    elsewhere = Hash.new(0)
    store = Object.new
    store.define_singleton_method(:increment_stat) { |stat, by = 1, **| elsewhere[stat] += by }
    Resque.enqueue(Jobs::Fair, account_id: 1)
    before = Resque::Stat.data_store
    Resque::Stat.data_store = store

    perform_one(worker)

    expect(elsewhere).to eq('processed' => 1, "processed:#{worker}" => 1)
    expect(redis.exists?('resque:stat:processed')).to be(false)
    expect(leases).to be_empty
  ensure
    Resque::Stat.data_store = before
  end

  it 'releases by itself where a plugin has put something in the place of that round trip' do
    Resque.enqueue(Jobs::Fair, account_id: 1)
    done = []
    original = Resque::DataStore::Workers.instance_method(:worker_done_working).super_method
    workers = Resque::DataStore::Workers
    workers.send(:alias_method, :worker_done_working, :worker_done_working)
    workers.define_method(:worker_done_working) do |worker, &block|
      done << worker.to_s
      original.bind_call(self, worker, &block)
    end

    perform_one(worker)

    expect(done).to eq([worker.to_s])
    expect(redis.get('resque:stat:processed')).to eq('1')
    expect(leases).to be_empty
  ensure
    workers.define_method(:worker_done_working, original)
  end

  it 'releases even when Redis is swapped while the job runs' do
    Resque.enqueue(Jobs::Fair, account_id: 1)
    job = Resque.reserve('fair')
    job.worker = worker
    Resque.redis = Redis::Namespace.new('other', redis: Redis.new(url: REDIS_URL))

    worker.done_working

    expect(redis.hlen('resque:fair_share:fair:leases')).to eq(0)
    expect(redis.get('other:stat:processed')).to eq('1')
  ensure
    Resque.redis = REDIS_URL
  end
end
