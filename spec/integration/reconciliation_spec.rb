# frozen_string_literal: true

# Leases whose owner is gone, and those that only look like it.
RSpec.describe 'Reconciliation' do
  before { Resque::FairShare.configure { |config| config.max_in_flight = 1 } }

  let(:leases_key) { 'resque:fair_share:fair:leases' }
  let(:elsewhere) { 'elsewhere:12:fair' }

  def reconcile
    Resque::FairShare::Queue.current('fair').reconcile
  end

  # A process that takes a job by hand and is killed.
  def reserve_and_die(times = 1)
    Process.wait(fork do
      Array.new(times) { reserve }
      Process.kill(:KILL, Process.pid)
      sleep
    end)
  end

  # @return what the block gives in a child, which is gone when this returns
  def in_child
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      writer.write(Marshal.dump(yield))
      writer.close
    ensure
      exit!
    end
    writer.close
    result = Marshal.load(reader.read) # rubocop:disable Security/MarshalLoad -- of our own child
    Process.wait(pid)
    result
  end

  # Gives the only lease another owner: "PID@START@WORKER".
  def change_owner
    id, lease = leases.first
    partition, started, charged, tag, owner, element = lease.split(' ', 6)
    redis.hset(leases_key, id, [partition, started, charged, tag, yield(owner), element].join(' '))
    id
  end

  # As if a worker on another host had taken the job.
  def lease_elsewhere
    enqueue('a', 2)
    reserve
    change_owner { "12@345@#{elsewhere}" }
  end

  def heartbeat(seconds_ago, worker = elsewhere)
    redis.hset('resque:workers:heartbeat', worker, (Time.at(redis.time.first) - seconds_ago).iso8601)
  end

  def expect_requeued
    expect(reconcile).to eq(1)
    expect([in_flight('a'), pending('a'), reserve.args.first['n']]).to eq([0, 2, 0])
    expect_consistent
  end

  def expect_kept
    expect(reconcile).to eq(0)
    expect([in_flight('a'), pending('a'), reserve]).to eq([1, 1, nil])
    expect_consistent
  end

  describe 'of a lease that was taken by hand' do
    it 'puts the job of a killed process back to the head of its partition, byte for byte' do
      enqueue('a', 3, odd: [[], {}, (2**53) + 1, 1.0, "\u0000😀"])
      before = redis.lrange('resque:fair_share:fair:sub:a', 0, -1)
      reserve_and_die
      expect([in_flight('a'), pending('a')]).to eq([1, 2])
      expect(reconcile).to eq(1)
      expect(redis.lrange('resque:fair_share:fair:sub:a', 0, -1)).to eq(before)
      expect_consistent

      3.times { reserve.perform }
      expect(done).to eq(%w[a:0 a:1 a:2])
      expect_drained
    end

    it 'puts several jobs of one partition back in their order' do
      Resque::FairShare.configure { |config| config.max_in_flight = 0 }
      enqueue('a', 30)
      2.times { reserve_and_die(10) }
      expect(reconcile).to eq(20)
      expect(Array.new(30) { reserve.args.first['n'] }).to eq((0...30).to_a)
    end

    it 'counts a process that has ended but was not waited for as gone' do
      enqueue('a', 2)
      zombie = fork { reserve && exit! }
      wait_until { leases.any? && File.read("/proc/#{zombie}/stat").include?(') Z ') }
      expect_requeued
      Process.wait(zombie)
    end

    it 'keeps that of a process that lives' do
      enqueue('a', 2)
      reserve
      expect(in_child { reconcile }).to eq(0)
      expect_kept
    end

    it 'counts another process with the same pid as gone' do
      enqueue('a', 2)
      reserve
      change_owner { |owner| owner.sub(/@(\d+)@/) { "@#{Regexp.last_match(1).to_i - 1}@" } }
      expect_requeued
    end

    it 'leaves one of another host to that host' do
      lease_elsewhere
      change_owner { '12@345@elsewhere:12' }
      expect_kept
    end

    it 'is not counted as that of a worker which the process has been before' do
      enqueue('a', 2)
      worker = Resque::Worker.new('fair')
      worker.register_worker
      worker.unregister_worker
      reserve
      change_owner { |owner| owner.sub(Socket.gethostname, 'elsewhere') }
      expect_kept
    end

    it 'is counted as that of the worker that the process is when another worker is pruned' do
      enqueue('a', 2)
      worker, other = Array.new(2) { |nth| Resque::Worker.new("fair#{nth}") }
      worker.register_worker
      other.unregister_worker
      reserve
      expect(Resque::FairShare.queue('fair').running.map(&:worker)).to eq([worker.id])
    ensure
      worker&.unregister_worker
    end

    it 'frees each slot once when many look at once' do
      Resque::FairShare.configure { |config| config.max_in_flight = 0 }
      enqueue('a', 40)
      reserve_and_die(30)
      readers = Array.new(4) { Thread.new { in_child { reconcile } } }
      expect(readers.sum(&:value)).to eq(30)
      expect([in_flight('a'), pending('a')]).to eq([0, 40])
      expect_consistent
    end
  end

  describe 'of a worker on this host' do
    it 'never frees the slot of one that lives, however often it looks (R006)' do
      enqueue('a', 1, then: :hold)
      enqueue('a', 1, n: 1)
      worker = WorkerProcess.start('fair')
      wait_until { holding.any? }
      redis.hset(leases_key, leases.keys.first, leases.values.first.sub(/ \d+ /, ' 1 ')) # it runs since 1970
      redis.hset('resque:workers:heartbeat', worker.id, '1970-01-01T00:00:00Z')
      counts = Array.new(5) { in_child { reconcile } }
      expect([counts, in_flight('a'), done]).to eq([[0] * 5, 1, %w[a:0]])
      expect(reserve).to be_nil

      let_go
      wait_until { done.include?('a:1') }
      worker.quit
      expect_drained
    end

    it 'frees the slot of one whose pid is another process now; Resque has its record, so the job is not run again' do
      enqueue('a', 2)
      worker = WorkerProcess.start('fair') do |resque|
        resque.define_singleton_method(:done_working) { Process.kill(:KILL, Process.pid) }
      end
      dead = worker.pid.to_s
      worker.wait
      # This process as the one that has got the pid.
      id = change_owner { |owner| owner.gsub(dead, Process.pid.to_s) }
      redis.rename("resque:worker:#{worker.id}", "resque:worker:#{worker.id.sub(dead, Process.pid.to_s)}")

      expect([reconcile, in_flight('a'), pending('a'), leases.key?(id)]).to eq([1, 0, 1, false])
      expect_consistent
    end
  end

  describe 'of a worker on another host' do
    before { lease_elsewhere }

    it 'keeps the slot while its heartbeat is not older than prune_interval' do
      heartbeat(Resque.prune_interval - 5)
      expect_kept
    end

    it 'takes the job back when the heartbeat is older and no record says that it began' do
      heartbeat(Resque.prune_interval + 5)
      expect_requeued
    end

    it 'goes by the clock of the server, not by that of this process' do
      drift = lambda do |seconds|
        Time.singleton_class.prepend(Module.new { define_method(:now) { |**options| super(**options) + seconds } })
      end
      heartbeat(Resque.prune_interval - 60)
      expect(in_child { drift.call(+3600) && reconcile }).to eq(0)
      heartbeat(Resque.prune_interval + 60)
      expect(in_child { drift.call(-3600) && reconcile }).to eq(1)
    end

    it 'frees the slot alone when the record says that the job began, and leaves the job to Resque' do
      heartbeat(Resque.prune_interval + 5)
      payload = reserved_payload
      redis.set("resque:worker:#{elsewhere}", { queue: 'fair', run_at: Time.now.utc.iso8601, payload: payload }.to_json)
      redis.sadd('resque:workers', elsewhere)
      expect([reconcile, in_flight('a'), pending('a')]).to eq([1, 0, 1])
      expect_consistent

      WorkerProcess.drain('fair')
      expect([done, failed]).to eq([%w[a:1], [%w[a:0 Resque::PruneDeadWorkerDirtyExit]]])
      expect_drained
    end

    it 'has nothing left to free when Resque pruned first' do
      heartbeat(Resque.prune_interval + 5)
      redis.set("resque:worker:#{elsewhere}", { queue: 'fair', payload: reserved_payload }.to_json)
      redis.sadd('resque:workers', elsewhere)
      WorkerProcess.drain('fair')
      expect([reconcile, done, failed]).to eq([0, %w[a:1], [%w[a:0 Resque::PruneDeadWorkerDirtyExit]]])
      expect_drained
    end

    it 'takes the job back of one that has unregistered, and keeps the slot of one that never beats' do
      redis.sadd('resque:workers', elsewhere)
      expect(reconcile).to eq(0)
      redis.srem('resque:workers', elsewhere)
      expect_requeued
    end

    # The payload as the dead worker had it, with its lease.
    def reserved_payload
      id, lease = leases.first
      Resque.decode(lease[/\{.*/]).merge(Resque::FairShare::Lease::KEY => id)
    end
  end

  describe 'of the indexes' do
    before { Resque::FairShare.configure { |config| config.max_in_flight = 0 } }

    it 'looks at all partitions, however many: what a killed worker of 0.1.0 counted goes' do
      Resque::FairShare.enqueue_all(Jobs::Fair, Array.new(2500) { |n| [{ account_id: n, n: 0 }] })
      redis.mset((0...2500).to_h { |n| ["resque:fair_share:fair:#{n}:in_flight", 1] })
      reconcile
      expect(our_keys.grep(/in_flight/)).to eq([])
      expect_consistent
    end

    it 'goes on where it stopped, when it looks at some only beside a reserve' do
      Resque::FairShare.enqueue_all(Jobs::Fair, Array.new(15_000) { |n| [{ account_id: n, n: 0 }] })
      redis.mset((0...15_000).to_h { |n| ["resque:fair_share:fair:#{n}:in_flight", 1] })
      left = Array.new(2) do
        in_child { Resque::FairShare::Reconciliation.quietly(Resque::FairShare.queue('fair')) }
        our_keys.grep(/in_flight/).size
      end
      expect(left).to match([be_between(4000, 8000), 0])
      expect_consistent
    end

    it 'takes a queue that has lost one away when it is removed' do
      enqueue('a', 2)
      redis.del('resque:fair_share:fair:partitions')
      Resque.remove_queue('fair')
      expect_drained
    end

    it 'builds one anew that was evicted, or deleted by hand, and no job is left behind' do
      enqueue('a', 2)
      enqueue('b', 2)
      reserve.perform
      redis.del('resque:fair_share:fair:partitions')
      enqueue('b', 1, n: 7) # which does not name the partition again
      enqueue('c', 1)
      reconcile
      expect_consistent
      WorkerProcess.drain('fair')
      expect(done.sort).to eq(%w[a:0 a:1 b:0 b:1 b:7 c:0])
      expect_drained
    end

    it 'finds that out by itself when a worker looks for jobs' do
      enqueue('a', 2)
      redis.del('resque:fair_share:fair:partitions')
      redis.hset('resque:fair_share:fair:state', 'reconciled', 0)
      expect(Array.new(3) { reserve&.args }).to eq([nil, *[0, 1].map { |n| [{ 'account_id' => 'a', 'n' => n }] }])
    end
  end

  describe 'by a reserve that finds everything parked' do
    before do
      enqueue('a', 2)
      reserve_and_die
    end

    def hscans
      redis.info('commandstats').fetch('hscan', {})['calls'].to_i
    end

    it 'frees the slot of the dead in the same call, and answers its job' do
      redis.hset('resque:fair_share:fair:state', 'reconciled', 0)
      expect(reserve.args.first['n']).to eq(0)
      expect_consistent
    end

    it 'happens once in a few seconds, for all processes together' do
      expect(reserve).to be_nil # a look was had when the first job came in
      redis.hset('resque:fair_share:fair:state', 'reconciled', 0)
      change_owner { |owner| owner.gsub(/\d+@\d+@.*/, "#{Process.pid}@@#{Socket.gethostname}:#{Process.pid}") }
      expect do
        20.times { expect(reserve).to be_nil }
        3.times { in_child { 5.times { reserve } } }
      end.to change { hscans }.by(1)
    end
  end
end
