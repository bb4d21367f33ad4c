# frozen_string_literal: true

# Connections that break, scripts that the server has forgotten, and a server that restarts.
RSpec.describe 'A lost connection' do
  let(:server) { RedisServer.another }

  before do
    server.client.flushall
    Resque.redis = Redis.new(url: server.url, timeout: 5)
    Resque::FairShare.configure { |config| config.max_in_flight = 0 }
  end

  def redis
    server.client
  end

  # All but the spec's own.
  def kill_clients
    redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  end

  describe 'while it was idle' do
    it 'costs nothing: each call works, and is done once' do
      3.times do |n|
        enqueue('a', 1, n: n)
        expect(kill_clients).to be >= 1
      end
      expect([waiting('a'), pending('a')]).to eq([3, 3])

      jobs = Array.new(3) { reserve.tap { kill_clients } }
      expect(jobs.map { |job| job.args.first['n'] }).to eq([0, 1, 2])
      expect(leases.size).to eq(3)
      jobs.each { |job| job.perform && kill_clients }
      expect(done).to eq(%w[a:0 a:1 a:2])
      expect_drained
    end
  end

  describe 'while it was idle, and plain jobs come over it' do
    it 'costs nothing either' do
      enqueue('a', 1)
      reserve.perform
      3.times { |n| Resque.push('plain', class: 'Jobs::Plain', args: [n]) }
      popped = Array.new(4) { kill_clients && Resque.pop('plain') }
      expect(popped.map { |payload| payload && payload['args'] }).to eq([[0], [1], [2], nil])
    end
  end

  describe 'with a reply outstanding' do
    let(:proxy) { LossyProxy.new(server.port) }

    before do
      enqueue('x', 1) # so that the server knows the scripts: what is lost is not its word that it does not
      Resque::FairShare::Lease.of(reserve).release
    end

    after { proxy.stop }

    # Everything that the block does goes through the proxy, which loses the first reply.
    def losing_a_reply
      Resque.redis = Redis.new(url: proxy.url, timeout: 5)
      Resque::FairShare::Queue.current('fair').standing.look
      proxy.lose_next_reply
      yield.tap { expect(proxy).not_to be_losing }
    end

    # Stock's client asks again, and loses a job without a word.
    it 'is not asked again by the pop of a plain queue: the caller is told' do
      2.times { |n| Resque.push('plain', class: 'Jobs::Plain', args: [n]) }
      expect { losing_a_reply { Resque.pop('plain') } }.to raise_error(Redis::BaseConnectionError)
      expect(Resque.pop('plain')).to include('args' => [1])
    end

    it 'is asked again by a reserve, which then gets the job that it had been given' do
      enqueue('a', 2)
      job = losing_a_reply { reserve }
      expect([job.args.first['n'], in_flight('a'), leases.size, waiting('a')]).to eq([0, 1, 1, 1])
      expect_consistent
      job.perform
      reserve.perform
      expect_drained
    end

    it 'is asked again by a release, which frees one slot' do
      enqueue('a', 2)
      2.times { reserve }
      lease_id = leases.keys.first
      losing_a_reply { Resque::FairShare::Queue.current('fair').leases.release(lease_id) }
      expect([in_flight('a'), leases.size]).to eq([1, 1])
    end

    it 'is told to who enqueues, since the job may be there; it is there once' do
      expect { losing_a_reply { enqueue('a', 1) } }.to raise_error(Redis::ConnectionError, /may or may not/)
      expect(waiting('a')).to eq(1)
      enqueue('a', 1)
      expect([waiting('a'), pending('a')]).to eq([2, 2])
    end
  end

  describe 'to a server that has forgotten the scripts (R058)' do
    it 'is no trouble between two calls' do
      enqueue('a', 3)
      redis.script(:flush)
      enqueue('a', 1, n: 3)
      4.times do
        redis.script(:flush)
        job = reserve
        redis.script(:flush)
        job.perform
      end
      expect(done).to eq(%w[a:0 a:1 a:2 a:3])
      expect_drained
    end

    it 'is no trouble under load' do
      pids = Array.new(4) do |number|
        fork do
          50.times { |n| enqueue(number, 1, n: n) }
          until done.size >= 200
            job = reserve
            job ? job.perform : sleep(0.01)
          end
          exit!(0)
        ensure
          exit!(1)
        end
      end
      flushes = 0
      while done.size < 200
        redis.script(:flush)
        flushes += 1
      end
      expect(pids.map { |pid| Process.wait2(pid).last.exitstatus }).to eq([0] * 4)
      expect(done.sort).to eq(Array.new(4) { |number| Array.new(50) { |n| "#{number}:#{n}" } }.flatten.sort)
      expect(flushes).to be > 20
      expect_drained
    end
  end

  describe 'to a server that restarts (R062)' do
    # The first worker has our queue alone, the second a queue that is stock's alone.
    def start_workers
      url = server.url
      workers = %w[fair plain].map do |queue|
        WorkerProcess.start(queue) { Resque.redis = Redis.new(url: url, timeout: 5) }
      end
      wait_until { workers.all?(&:registered?) }
      workers
    end

    def enqueue_both(number, **more)
      enqueue('a', 1, n: number, **more)
      Resque.enqueue_to(:plain, Jobs::Plain, number, more[:seconds])
    end

    def wait_for_both(number)
      wait_until("both jobs #{number}") { (["a:#{number}", "plain:#{number}"] - done).empty? }
    end

    it 'is borne by idle workers as by those of stock queues' do
      enqueue_both(0)
      workers = start_workers
      wait_for_both(0)
      # Stopped, so that none asks while it is down: that ends a stock worker.
      workers.each { |worker| worker.signal(:STOP) }
      server.restart
      workers.each { |worker| worker.signal(:CONT) }
      enqueue_both(1)
      wait_for_both(1)
      wait_until { our_keys.empty? }
      workers.each(&:quit)
      expect_drained
    end

    it 'is borne by busy workers as by those of stock queues' do
      workers = start_workers
      enqueue_both(0, seconds: 1)
      wait_for_both(0)
      server.restart
      expect(done).to eq([]) # the server has lost all it knew, the leases as well
      enqueue_both(1)
      wait_for_both(1)
      wait_until { our_keys.empty? }
      workers.each(&:quit)
    end

    it "raises Redis's own error while it is down, and works again when it is up" do
      enqueue('a', 1)
      job = reserve
      server.crash
      [-> { enqueue('a', 1) }, -> { reserve }, -> { Resque::FairShare::Lease.of(job).release }].each do |call|
        expect(&call).to raise_error(Redis::BaseConnectionError)
      end
      server.restart
      enqueue('a', 1)
      expect(reserve.args.first['n']).to eq(0)
      expect([in_flight('a'), leases.size]).to eq([1, 1])
    end
  end
end
