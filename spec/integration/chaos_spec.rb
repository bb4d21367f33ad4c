# frozen_string_literal: true

# Workers and their children are killed at random while they work off the jobs of ten tenants.
RSpec.describe 'Random kills' do
  let(:tenants) { Array('a'..'j') }
  let(:jobs) { 60 }
  let(:cap) { 2 }

  before { Resque::FairShare.configure { |config| config.max_in_flight = cap } }

  def start_worker(number)
    WorkerProcess.start('fair', interval: 0.02, fork_per_job: number.odd?)
  end

  # Kills a worker, or only its child, and puts a new worker in the place of a dead one.
  def kill_something(workers)
    index = rand(workers.size)
    worker = workers[index]
    child = worker.children.find { |pid| runs_a_job?(pid) }
    if child && rand < 0.7
      Process.kill(:KILL, child)
    else
      worker.kill
      redis.del('resque:pruning_dead_workers_in_progress')
      workers[index] = start_worker(index)
    end
  rescue Errno::ESRCH, Errno::ENOENT
    nil # it had ended already
  end

  # Not the `ps` of a worker that looks for the dead: without its answer it would take all for dead.
  def runs_a_job?(pid)
    File.read("/proc/#{pid}/cmdline").start_with?('resque-')
  end

  it 'lose no job, run none twice, and leave the counters right and nothing behind' do
    jobs.times { |n| tenants.each { |tenant| enqueue(tenant, 1, n: n, job: Jobs::Counted, seconds: rand * 0.02) } }
    workers = Array.new(5) { |number| start_worker(number) }
    kills = 0
    most = 0
    deadline = now + 15
    while now < deadline && done.size < (tenants.size * jobs) - 50
      wait_until('some progress') { sleep(rand * 0.2) || true }
      kill_something(workers)
      kills += 1
      most = [most, leases.values.map { |lease| lease.split(' ', 2).first }.tally.values.max.to_i].max
    end
    workers.each(&:kill)
    expect_consistent
    expect(most).to be <= cap

    redis.del('resque:pruning_dead_workers_in_progress')
    WorkerProcess.drain('fair', fork_per_job: false)
    all = tenants.flat_map { |tenant| Array.new(jobs) { |n| "#{tenant}:#{n}" } }
    expect(all - done - failed.map(&:first)).to eq([]), 'lost'
    expect(done.tally.select { |_, times| times > 1 }).to eq({}), 'run twice'
    expect(done.size).to be > 500
    expect(kills).to be > 20
    expect_drained
    expect(failed.size).to be <= kills * 2
  end
end
