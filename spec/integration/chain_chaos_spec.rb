# frozen_string_literal: true

require 'support/chaos_steps'

# Chains whose workers, connections or server end at random: each chain ends completed, or failed with its error shown.
RSpec.describe 'Chains' do
  let(:seed) { Integer(ENV.fetch('CHAOS_SEED', '6')) }
  let(:random) { Random.new(seed) }
  let(:counts) { Hash.new(0) }
  let(:server_url) { REDIS_URL }

  before do
    Resque.redis = server_url
    Resque::JobChain.reset_configuration!
  end

  # Four steps each, of a plain and a fair-share class in turn.
  def start_chains(number, seconds)
    Array.new(number) do |n|
      Resque::JobChain.build("chain#{n}") do |chain|
        4.times do |index|
          chain.step [ChaosSteps::Plain, ChaosSteps::Fair].fetch((n + index) % 2),
                     tenant: n % 7, seconds: random.rand(seconds), on_failure: :retry, max_attempts: 4
        end
      end.tap(&:start!).id
    end
  end

  def start_worker(interval: 0.02)
    redis.del('resque:pruning_dead_workers_in_progress')
    url = server_url
    WorkerProcess.start(*ChaosSteps::QUEUES.shuffle(random: random), interval: interval) do
      $stderr.reopen(File::NULL) # the heartbeat of a worker whose server is down says so at length
      Resque.redis = Redis.new(url: url, timeout: 5)
    end
  end

  # The block does harm, again and again, until the time is over or the chains have ended.
  def trouble(crew, seconds:, pause:)
    deadline = now + seconds
    while now < deadline && unfinished.positive?
      sleep random.rand(pause)
      yield
      crew.map! { |worker| worker.ended? ? (counts[:workers_that_died] += 1) && start_worker : worker }
    end
  end

  # Kills a worker, or only its child.
  def kill_something(crew)
    index = random.rand(crew.size)
    if random.rand < 0.75
      child = crew[index].children.find { |pid| runs_a_job?(pid) } or return
      Process.kill(:KILL, child)
      counts[:killed_children] += 1
    else
      crew[index].kill
      counts[:killed_workers] += 1
      crew[index] = start_worker
    end
  rescue Errno::ESRCH, Errno::ENOENT
    nil # it has already ended
  end

  # Not the `ps` of a worker that looks for the dead: without its answer it would take all for dead.
  def runs_a_job?(pid)
    File.read("/proc/#{pid}/cmdline").start_with?('resque-')
  end

  def unfinished
    Resque::JobChain.counts.values_at('running', 'paused').sum
  rescue Redis::BaseError
    1
  end

  # All are dead, and what they have left is found when others start.
  def let_drain(crew)
    crew.each(&:kill).each(&:kill_orphans)
    work_off
    counts[:lost_before_their_record] = (lost = Resque::JobChain.active_chains).size
    # Jobs that a killed worker had popped from a plain queue, before it noted them: an operator's call.
    expect(Resque::JobChain.recover(older_than: 0)).to match_array(lost)
    work_off
  end

  # As `QUEUES=... INTERVAL=0 rake resque:work` until nothing waits.
  def work_off
    Array.new(4) { start_worker(interval: 0) }.each(&:wait)
    expect(ChaosSteps::QUEUES.map { |queue| Resque.size(queue) }).to eq([0, 0])
  end

  def notes_of(id)
    redis.lrange("resque:spec:notes:#{id}", 0, -1).uniq.map(&:split)
  end

  # Compares the notes of a chain's steps with the chain's state.
  def expect_sound(id)
    state = redis.hgetall("resque:job_chain:#{id}:state")
    counts[state['status']] += 1
    counts[:failed_attempts] += state.sum { |field, value| field.start_with?('attempts:') ? value.to_i : 0 }
    expect_in_order(id)
    expect_no_run_too_many(id, state)
    state['status'] == 'completed' ? expect_completed(id, state) : expect_failed(id, state)
  end

  def expect_in_order(id)
    ended = [-1]
    notes_of(id).each do |what, index, _run, before|
      next ended << index.to_i if what == 'ends'

      expect([ended.include?(index.to_i - 1), before]).to eq([true, 'completed']), "#{id}: #{notes_of(id)}"
    end
  end

  # A step begins at the most once for each job that it has had.
  def expect_no_run_too_many(id, state)
    notes_of(id).select { |note| note.first == 'begins' }.map { |note| note[1] }.tally.each do |index, times|
      expect(times).to be <= state.fetch("token:#{index}", '1').to_i, "#{id}, step #{index}: #{notes_of(id)}"
    end
  end

  def expect_completed(id, state)
    expect(Array.new(4) { |index| state["step_status:#{index}"] }).to eq(['completed'] * 4), id
    runs = notes_of(id).select { |note| note.first == 'ends' }.group_by { |note| note[1] }
    expect(runs.keys.sort).to eq(%w[0 1 2 3]), id
    context = Resque::JobChain.context(id)
    4.times { |index| expect(runs[index.to_s].map { |note| note[2] }).to include(context["step#{index}"]), id }
  end

  def expect_failed(id, state)
    failed = state['error_step'].to_i
    expect(state['status']).to eq('failed'), "#{id}: #{state}"
    expect(state.values_at('error_message', 'error_class', "attempts:#{failed}")).to match([/./, /./, '4']), id
    expect(notes_of(id).map { |note| note[1].to_i }.max.to_i).to be <= failed, id
  end

  # Once more, for all of them, and what is left in Redis.
  def expect_all_sound(ids)
    aggregate_failures { ids.each { |id| expect_sound(id) } }
    expect(Resque::JobChain.counts.values.sum).to eq(ids.size)
    expect(redis.keys('resque:fair_share:chaos_fair:*')).to eq([])
    RSpec.configuration.reporter.message("CHAOS_SEED=#{seed}: #{counts}")
  end

  it 'survive 20 s of kill -9 of children and workers: none is lost, none out of order' do
    ids = start_chains(100, 0.05..0.3)
    crew = Array.new(5) { start_worker }
    trouble(crew, seconds: 20, pause: 0.0..0.1) { kill_something(crew) }
    let_drain(crew)

    expect_all_sound(ids)
    expect(counts[:killed_children]).to be > 10
    expect(counts[:killed_workers]).to be > 10
    expect(counts[:failed_attempts]).to be > 10
    expect(counts['completed']).to be > 30
  end

  it 'survive CLIENT KILL in a loop' do
    ids = start_chains(30, 0.01..0.1)
    crew = Array.new(4) { start_worker }
    trouble(crew, seconds: 5, pause: 0.0..0.05) do
      counts[:killed_connections] += redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    end
    let_drain(crew)

    expect_all_sound(ids)
    expect(counts[:killed_connections]).to be > 100
  end

  it 'do not notice SCRIPT FLUSH in a loop: each step runs once' do
    # More workers than chains: a step that started too early would be performed at once.
    ids = start_chains(4, 0.3..0.5)
    crew = Array.new(6) { start_worker }
    trouble(crew, seconds: 30, pause: 0.0..0.002) do
      redis.script(:flush)
      counts[:flushes] += 1
    end
    wait_until('the workers to end their jobs') { Resque.working.empty? }
    let_drain(crew)

    expect_all_sound(ids)
    expect(counts[:flushes]).to be > 100
    expect(counts.slice('completed', :failed_attempts, :workers_that_died, :lost_before_their_record))
      .to eq('completed' => 4, failed_attempts: 0, lost_before_their_record: 0)
    # A chain has not gone on before its step's end.
    expect(ids.flat_map { |id| notes_of(id) }.group_by(&:first).transform_values { |notes| notes.map(&:last).tally })
      .to eq('begins' => { 'completed' => 16 }, 'ends' => { 'running' => 16 })
  end

  describe 'on a server that keeps what it acknowledged (appendonly)' do
    let(:server) { RedisServer.start('--appendonly', 'yes', '--appendfsync', 'always') }
    let(:server_url) { server.url }

    after do
      WorkerProcess.end_all
      server.stop
    end

    def redis
      server.client
    end

    it 'survive its kill -9 and restart, several times' do
      ids = start_chains(30, 0.05..0.2)
      crew = Array.new(4) { start_worker }
      trouble(crew, seconds: 6, pause: 0.3..1.0) do
        server.restart
        counts[:restarts] += 1
      end
      let_drain(crew)

      expect_all_sound(ids)
      expect(counts[:restarts]).to be > 2
    end
  end
end
