# frozen_string_literal: true

# dequeue_strategy = :legacy_scan: jobs wait in the plain list, and the fairest of the first is taken.
RSpec.describe 'legacy_scan' do
  before { configure(dequeue_strategy: :legacy_scan) }

  def configure(**settings)
    Resque::FairShare.configure { |config| settings.each { |name, value| config.public_send(:"#{name}=", value) } }
  end

  def define_job(name, &body)
    stub_const(name, Class.new do
      extend Resque::Plugins::FairShare
      extend Jobs::Noting

      @queue = :fair
      class_eval(&body) if body
      define_singleton_method(:perform) { |*args| note(args.to_json) }
    end)
  end

  def list
    redis.lrange('resque:queue:fair', 0, -1)
  end

  def lease_of(job)
    Resque::FairShare::Lease.of(job)
  end

  # @return [Array] accounts of so many reserves, whose jobs go on running
  def accounts(count)
    Array.new(count) { (job = reserve) && account_of(job) }
  end

  describe 'the plain list' do
    it 'holds the jobs as stock Resque writes them, and nothing else is written but the count' do
      enqueue('a', 1)
      enqueue('b', 1)
      payloads = %w[a b].map { |account| Resque.encode(class: 'Jobs::Fair', args: [{ account_id: account, n: 0 }]) }
      expect(list).to eq(payloads)
      expect(our_keys).to eq(%w[a:pending b:pending].map { |word| "resque:fair_share:fair:#{word}" })
      expect(Resque.size('fair')).to eq(2)
      expect(Resque.peek('fair', 0, 5).map { |job| job['args'][0]['account_id'] }).to eq(%w[a b])
    end

    it 'gives the payload byte for byte: no cjson sees it (R075, R077)' do
      payload = '{ "args":[{"account_id":1,"e":[],"o":{},"n":[[],{}],"big":130775545883395173,' \
                '"i":9007199254740993,"f":1.0,' \
                '"s":"\/ \u00e9 \u0000","huge":1000000000000000000000000000000}], "class" : "Jobs::Fair", "x":[] }'
      redis.rpush('resque:queue:fair', payload)
      job = reserve
      expect(leases.values.first).to end_with(payload)
      expect(job.payload.except('fair_share_lease')).to eq(JSON.parse(payload))
      job.perform
      expect_drained
    end
  end

  describe 'the choice' do
    it 'is the partition with the fewest running jobs among the first scan_size' do
      configure(scan_size: 4)
      enqueue('a', 5)
      enqueue('b', 1)
      # b is in the sixth place, so two turns do not see it.
      expect(accounts(4)).to eq(%w[a a b a])
    end

    it 'keeps the order inside a partition' do
      enqueue('a', 5)
      enqueue('b', 5)
      order = Array.new(10) { reserve.args.first.values_at('account_id', 'n') }
      %w[a b].each { |account| expect(order.select { |id, _| id == account }.map(&:last)).to eq((0..4).to_a) }
    end

    it 'takes turns where none runs, whatever stands first' do
      configure(charge: :jobs)
      enqueue('a', 10)
      enqueue('b', 10)
      turns = Array.new(10) { reserve.tap(&:perform).args.first['account_id'] }
      expect(turns.tally).to eq('a' => 5, 'b' => 5)
    end

    it 'goes by weight' do
      configure(weight: ->(partition) { partition == 'big' ? 3 : 1 }, charge: :jobs)
      enqueue('small', 30)
      enqueue('big', 30)
      turns = Array.new(20) { reserve.tap(&:perform).args.first['account_id'] }
      expect(turns.tally).to eq('big' => 15, 'small' => 5)
    end

    it 'leaves out a partition at its cap, and gives nothing when all in sight are at theirs' do
      configure(max_in_flight: 1, scan_size: 3)
      enqueue('a', 3)
      enqueue('b', 1)
      enqueue('c', 1)
      # When the first a has gone, b is seen, and then c.
      expect(accounts(4)).to eq(['a', 'b', 'c', nil])
      expect(list.size).to eq(2)
    end

    it 'is nothing when all of the first are at their cap, as 0.1.0 documents' do
      configure(max_in_flight: 1, scan_size: 2)
      enqueue('a', 3)
      enqueue('b', 1)
      first = reserve
      expect(reserve).to be_nil
      first.perform
      expect(account_of(reserve)).to eq('a')
    end

    it 'leaves out a paused partition' do
      enqueue('a', 1)
      enqueue('b', 1)
      Resque::FairShare.queue('fair').partition('a').pause
      expect(accounts(2)).to eq(['b', nil])
      Resque::FairShare.queue('fair').partition('a').resume
      expect(accounts(1)).to eq(['a'])
    end
  end

  describe 'the partition' do
    before { configure(max_in_flight: 1) }

    # One job of the first partition runs, so the next is the other's.
    def expect_partitions(first, second)
      expect(Array.new(3) { reserve&.args }).to eq([first, second, nil])
    end

    it 'is found by key in any of the Hash arguments' do
      define_job('Keyed') { fair_share_on :org_id }
      [1, 1, 2].each { |org| Resque.enqueue(Keyed, 'x', { other: 1 }, { org_id: org }) }
      expect_partitions(['x', { 'other' => 1 }, { 'org_id' => 1 }], ['x', { 'other' => 1 }, { 'org_id' => 2 }])
    end

    it 'is found by index' do
      configure(partition_index: 1)
      define_job('Indexed')
      %w[p p q].each { |tenant| Resque.enqueue(Indexed, 'x', tenant) }
      expect_partitions(%w[x p], %w[x q])
    end

    it 'is found by block, which 0.1.0 could not' do
      define_job('ByBlock') { fair_share_on { |args| args[0].split('-').last } }
      %w[1-p 2-p 3-q].each { |text| Resque.enqueue(ByBlock, text) }
      expect_partitions(['1-p'], ['3-q'])
    end
  end

  describe 'a lease' do
    before { configure(max_in_flight: 1) }

    it 'is kept under the cap by many workers, and each job runs once' do
      %w[a b c].each { |account| enqueue(account, 20, job: Jobs::Counted, seconds: 0.005) }
      configure(max_in_flight: 2)
      5.times { WorkerProcess.start('fair', interval: 0.02, fork_per_job: false) }
      wait_until('60 jobs') { done.size == 60 && our_keys.empty? }
      expect(done.uniq.size).to eq(60)
      expect(redis.zrange('resque:spec:most', 0, -1, with_scores: true).map(&:last).max).to be <= 2
      expect_drained
    end

    it 'ends when its worker is killed (kill -9) in a job: the job fails once, and the tenant goes on' do
      enqueue('a', 1, then: :hold)
      [1, 2].each { |n| enqueue('a', 1, n: n) }
      worker = WorkerProcess.start('fair', fork_per_job: false)
      wait_until { holding.any? }
      worker.kill
      expect(in_flight('a')).to eq(1)
      redis.del('resque:pruning_dead_workers_in_progress')
      WorkerProcess.drain('fair')
      expect([done, failed]).to eq([%w[a:0 a:1 a:2], [%w[a:0 Resque::DirtyExit]]])
      expect_drained
    end

    it 'ends when its worker is killed before the job began: the job runs, and first' do
      enqueue('a', 3)
      before = list.first
      die = ->(*) { Process.kill(:KILL, Process.pid) && sleep }
      WorkerProcess.start('fair') { |worker| worker.define_singleton_method(:working_on, &die) }.wait
      expect([in_flight('a'), list.size]).to eq([1, 2])
      expect(leases.values.first).to end_with(before)

      WorkerProcess.drain('fair')
      expect([done, failed]).to eq([%w[a:0 a:1 a:2], []])
      expect_drained
    end
  end
end
