# frozen_string_literal: true

# What the README of resque-fair-share 0.1.0 promises, as its users have it in their applications.
RSpec.describe 'Parity with resque-fair-share 0.1.0' do
  def configure(**settings)
    Resque::FairShare.configure { |config| settings.each { |name, value| config.public_send(:"#{name}=", value) } }
  end

  def define_job(name, queue: :default, &body)
    stub_const(name, Class.new do
      extend Resque::Plugins::FairShare
      extend Jobs::Noting

      @queue = queue
      class_eval(&body) if body
      define_singleton_method(:perform) { |*args| note(args.to_json) }
    end)
  end

  def root
    'resque:fair_share:default:'
  end

  def everything
    redis.keys.sort.to_h { |key| [key, redis.dump(key)] }
  end

  describe 'the examples of the README' do
    it 'finds the partition in a hash argument with a known key' do
      define_job('ProcessRecordsJob') { fair_share_on :account_id }
      Resque.enqueue(ProcessRecordsJob, account_id: 42, record_ids: [1, 2, 3])
      expect(waiting(42, 'default')).to eq(1)
      WorkerProcess.drain('default')
      expect(done).to eq(['[{"account_id":42,"record_ids":[1,2,3]}]'])
      expect_drained('default')
    end

    it 'finds the partition by a block among positional arguments' do
      define_job('SyncTenantJob', queue: :sync) { fair_share_on { |args| args[0] } }
      Resque.enqueue(SyncTenantJob, 'tenant_123', full: true)
      expect(waiting('tenant_123', 'sync')).to eq(1)
      WorkerProcess.drain('sync')
      expect(done).to eq(['["tenant_123",{"full":true}]'])
      expect_drained('sync')
    end

    it 'falls back to the configured key' do
      define_job('SimpleJob')
      configure(partition_key: :org_id)
      Resque.enqueue(SimpleJob, org_id: 7, data: 'hello')
      expect(waiting(7, 'default')).to eq(1)
      WorkerProcess.drain('default')
      expect(done).to eq(['[{"org_id":7,"data":"hello"}]'])
      expect_drained('default')
    end

    it 'takes every configuration key, and forgets all of them at reset_configuration!' do
      client = Class.new { def gauge(*); end }.new
      given = { dequeue_strategy: :legacy_scan, max_in_flight: 7, partition_key: :org_id, partition_index: 1,
                statsd_client: client, scan_size: 12 }
      configure(**given)
      expect(Resque::FairShare.configuration).to have_attributes(given)

      Resque::FairShare.reset_configuration!
      expect(Resque::FairShare.configuration)
        .to have_attributes(dequeue_strategy: :sub_queues, max_in_flight: 50, partition_key: :account_id,
                            partition_index: nil, statsd_client: nil, scan_size: 100)
    end

    it 'has a partition_index at enqueue, too, where 0.1.0 refused the job' do
      define_job('PositionalJob')
      configure(partition_index: 1)
      Resque.enqueue(PositionalJob, 'x', 'acme')
      expect(waiting('acme', 'default')).to eq(1)
    end

    it 'caps a partition at 50 running jobs unless told otherwise' do
      define_job('ProcessRecordsJob')
      55.times { |n| Resque.enqueue(ProcessRecordsJob, account_id: 42, n: n) }
      expect(Array.new(55) { Resque.reserve('default') }.compact.size).to eq(50)
      configure(max_in_flight: 3)
      5.times { |n| Resque.enqueue(ProcessRecordsJob, account_id: 7, n: n) }
      expect(Array.new(5) { Resque.reserve('default') }.compact.size).to eq(3)
    end
  end

  describe 'the keys' do
    before do
      define_job('ProcessRecordsJob')
      5.times { |n| Resque.enqueue(ProcessRecordsJob, account_id: 42, n: n) }
      2.times { |n| Resque.enqueue(ProcessRecordsJob, account_id: 7, n: n) }
    end

    it 'have the documented names and types' do
      Resque.reserve('default')
      types = %w[42:pending 42:in_flight sub:42 partitions].to_h { |name| [name, redis.type(root + name)] }
      expect(types).to eq('42:pending' => 'string', '42:in_flight' => 'string', 'sub:42' => 'list',
                          'partitions' => 'zset')
    end

    it 'count what waits and what runs' do
      4.times { Resque.reserve('default') }
      counts = %w[42 7].to_h { |id| [id, [pending(id, 'default'), in_flight(id, 'default')]] }
      expect(counts).to eq('42' => [3, 2], '7' => [0, 2])
    end

    it 'score a partition by its jobs in flight, in the integer part' do
      scores = -> { redis.zrange("#{root}partitions", 0, -1, with_scores: true).to_h.transform_values(&:floor) }
      expect(scores.call).to eq('42' => 0, '7' => 0)
      jobs = Array.new(5) { Resque.reserve('default') }
      expect(scores.call).to eq('42' => 3)
      jobs.reject { |job| job.args.first['account_id'] == 7 }.first(2).each(&:perform)
      expect(scores.call).to eq('42' => 1)
    end

    it 'are gone when they would say 0' do
      7.times { Resque.reserve('default').perform }
      expect(redis.keys.sort).to eq(%w[resque:queues resque:spec:done])
    end
  end

  describe 'the hooks' do
    let(:names) { %i[after_enqueue before_perform after_perform on_failure].map { |name| :"#{name}_fair_share" } }

    before { define_job('ProcessRecordsJob') }

    def call_all
      names.each do |name|
        error = name == :on_failure_fair_share ? [RuntimeError.new] : []
        ProcessRecordsJob.public_send(name, *error, 'account_id' => 42)
      end
    end

    it 'are those that Resque finds' do
      found = %i[after_enqueue_hooks before_hooks after_hooks failure_hooks]
              .flat_map { |kind| Resque::Plugin.public_send(kind, ProcessRecordsJob) }
      expect(found.map(&:to_sym)).to match_array(names)
    end

    it 'change nothing when they are called by hand, however often, with jobs waiting and running' do
      3.times { |n| Resque.enqueue(ProcessRecordsJob, account_id: 42, n: n) }
      job = Resque.reserve('default')
      expect { 2.times { call_all } }.not_to(change { everything })
      job.perform
      expect { 2.times { call_all } }.not_to(change { everything })
      expect_consistent('default')
    end

    it 'need no Redis' do
      Resque.redis = 'redis://127.0.0.1:1'
      expect { call_all }.not_to raise_error
    end

    it 'can be overridden, with super, and run around the job' do
      ProcessRecordsJob.define_singleton_method(:before_perform_fair_share) { |params| super(params) || note('before') }
      ProcessRecordsJob.define_singleton_method(:after_perform_fair_share) { |params| super(params) || note('after') }
      Resque.enqueue(ProcessRecordsJob, account_id: 42)
      WorkerProcess.drain('default')
      expect(done).to eq(['before', '[{"account_id":42}]', 'after'])
      expect_drained('default')
    end

    it 'go by the module\'s earlier name, too' do
      expect(Resque::FairShare::Hooks).to be(Resque::Plugins::FairShare)
      stub_const('Early', Class.new do
        extend Resque::FairShare::Hooks

        @queue = :default
      end)
      Resque.enqueue(Early, account_id: 3)
      expect(waiting(3, 'default')).to eq(1)
    end
  end

  describe 'Dequeue.perform' do
    before { define_job('ProcessRecordsJob') }

    it 'gives the payload of the next job in a fair turn, as a Hash, and nil when there is none' do
      2.times { |n| Resque.enqueue(ProcessRecordsJob, account_id: 1, n: n) }
      Resque.enqueue(ProcessRecordsJob, account_id: 2, n: 0)
      payloads = Array.new(4) { Resque::FairShare::Dequeue.perform('default') }
      expect(payloads.map { |payload| payload&.slice('class', 'args') })
        .to eq([[1, 0], [2, 0], [1, 1]].map { |account, n|
                 { 'class' => 'ProcessRecordsJob', 'args' => [{ 'account_id' => account, 'n' => n }] }
               } + [nil])
    end

    it 'takes a slot, under the cap, until the job made from the payload has ended' do
      configure(max_in_flight: 1)
      2.times { |n| Resque.enqueue(ProcessRecordsJob, account_id: 1, n: n) }
      payload = Resque::FairShare::Dequeue.perform(:default)
      expect([Resque::FairShare::Dequeue.perform(:default), in_flight(1, 'default')]).to eq([nil, 1])

      Resque::Job.new('default', payload).perform
      expect(in_flight(1, 'default')).to eq(0)
      Resque::Job.new('default', Resque::FairShare::Dequeue.perform('default')).perform
      expect(done.size).to eq(2)
      expect_drained('default')
    end

    it 'gives the jobs of a plain queue, too' do
      Resque.enqueue_to(:plain, Jobs::Plain, 1)
      expect(Resque::FairShare::Dequeue.perform('plain')).to eq('class' => 'Jobs::Plain', 'args' => [1])
      expect(Resque::FairShare::Dequeue.perform('plain')).to be_nil
    end
  end
end
