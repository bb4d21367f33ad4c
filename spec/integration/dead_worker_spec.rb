# frozen_string_literal: true

# A worker that dies while others poll: nobody starts, and its job is told of all the same.
RSpec.describe 'A dead worker that the living find' do
  before { Resque::FairShare.configure { |config| config.max_in_flight = 1 } }

  # With its child, as the kernel or a container's end kills.
  def kill_with_child(worker)
    worker.kill
    worker.kill_orphans
  end

  it 'is pruned within seconds: its job is in the failed list once, and its record is gone' do
    enqueue('a', 1, then: :hold)
    first = WorkerProcess.start('fair')
    wait_until { holding.any? }
    others = Array.new(3) { WorkerProcess.start('fair') }
    wait_until { others.all?(&:registered?) }
    dead = first.id
    kill_with_child(first)

    wait_until('the failure', seconds: 15) { failed.any? && !Resque.data_store.worker_exists?(dead) }
    expect([failed, redis.exists?("resque:worker:#{dead}")]).to eq([[%w[a:0 Resque::DirtyExit]], false])
    wait_until { our_keys.empty? }
    others.each(&:quit)
    expect(failed.size).to eq(1)
    expect(redis.keys('resque:worker:*pruning')).to eq([])
    expect_drained
  end

  it 'is pruned, and the chain of its step goes on by its strategy' do
    start_chain('c', { account_id: 'a', does: 'hold', on_failure: :skip }, { account_id: 'a' }, job: Jobs::FairStep)
    first = WorkerProcess.start('fair')
    wait_until { holding_steps.any? }
    other = WorkerProcess.start('fair')
    wait_until { other.registered? }
    kill_with_child(first)

    wait_until('the chain', seconds: 15) { status['status'] == 'completed' }
    other.quit
    expect(step_statuses).to eq(%w[skipped completed])
    expect_drained
  end

  it 'of another host is pruned once its heartbeat is older than prune_interval, once by many that look at once' do
    enqueue('a', 1)
    payload = reserve.payload
    id, lease = leases.first
    elsewhere = 'elsewhere:12:fair'
    partition, started, charged, tag, _, element = lease.split(' ', 6)
    lease = [partition, started, charged, tag, "12@345@#{elsewhere}", element].join(' ')
    redis.hset('resque:fair_share:fair:leases', id, lease)
    redis.set("resque:worker:#{elsewhere}", { queue: 'fair', payload: payload }.to_json)
    redis.sadd('resque:workers', elsewhere)
    redis.hset('resque:workers:heartbeat', elsewhere, (Time.now - Resque.prune_interval - 60).iso8601)

    pids = Array.new(6) do
      fork do
        Resque::FairShare.queue('fair').reconcile
      ensure
        exit!
      end
    end
    pids.each { |pid| Process.wait(pid) }
    expect(failed).to eq([%w[a:0 Resque::PruneDeadWorkerDirtyExit]])
    expect([Resque.data_store.worker_ids, redis.hlen('resque:workers:heartbeat')]).to eq([[], 0])
    expect_drained
  end

  it 'is not the one whose heartbeat thread has died: it lives' do
    enqueue('a', 1, then: :hold)
    worker = WorkerProcess.start('fair')
    wait_until { holding.any? }
    redis.hset('resque:workers:heartbeat', worker.id, '1970-01-01T00:00:00Z')
    redis.del('resque:pruning_dead_workers_in_progress')
    second = WorkerProcess.start('fair')
    wait_until { second.registered? }
    expect([failed, Resque.data_store.worker_exists?(worker.id)]).to eq([[], true])
    let_go
    wait_until { our_keys.empty? }
    [worker, second].each(&:quit)
  end
end
