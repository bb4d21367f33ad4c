# frozen_string_literal: true

# Very many tenants. SCALE_PARTITIONS=1000000 makes it a million everywhere, and takes minutes.
RSpec.describe 'A queue of very many partitions' do
  partitions = Integer(ENV.fetch('SCALE_PARTITIONS', '200000'))

  define_method(:count) { partitions }

  def fill(ids)
    ids.each_slice(20_000) do |some|
      Resque::FairShare.enqueue_all(Jobs::Fair, some.map { |id| [{ account_id: id, n: 0 }] })
    end
  end

  # @return [Integer] bytes that Redis sent while the block ran
  def bytes_sent
    before = redis.info('stats')['total_net_output_bytes'].to_i
    yield
    redis.info('stats')['total_net_output_bytes'].to_i - before
  end

  # @return [Float] microseconds of Redis's time that a call of a script takes, the mean of those that the block makes;
  #   the best of five times, since other processes want the machine, too
  def script_time
    Array.new(5) do
      redis.config(:resetstat)
      yield
      redis.info('commandstats')['evalsha']['usec_per_call'].to_f
    end.min
  end

  # @return [Integer] kilobytes by which this process grows
  def growth
    GC.start
    before = memory
    yield
    memory - before
  end

  def memory
    File.read('/proc/self/status')[/VmRSS:\s+(\d+)/, 1].to_i
  end

  def turns(number)
    Array.new(number) { reserve.tap { |job| Resque::FairShare::Lease.of(job).release } }
  end

  describe "with #{partitions} of them" do
    attr_reader :server

    # Filled once: the examples only look, or take a few jobs.
    before(:context) do # rubocop:disable RSpec/BeforeAfterAll
      @server = RedisServer.start
      Resque.redis = server.url
      Resque::FairShare.reset_configuration!
      fill(0...count)
    end

    # With time for a machine that has other things to do.
    before { Resque.redis = Redis.new(url: server.url, timeout: 20) }

    after(:context) { server.stop } # rubocop:disable RSpec/BeforeAfterAll

    let(:queue) { Resque::FairShare.queue('fair') }

    def redis
      server.client
    end

    it 'counts them without looking at each' do
      expect(bytes_sent { expect(Resque.size('fair')).to be_within(1000).of(count) }).to be < 10_000
      stats = queue.stats
      expect(stats[:pending]).to be_within(1000).of(count)
      expect(stats[:runnable]).to eq(stats[:pending])
      expect(stats[:partitions]).to be_within(1000).of(count)
      expect(stats[:oldest_age]).to be_positive
    end

    it 'gives pages of them in the order of their turns, near and far, by reading the page only' do
      sent = bytes_sent do
        near, far = [0, count - 2000].map { |offset| queue.partitions(limit: 20, offset: offset) }
        expect([near.size, far.size, (near + far).map(&:id).uniq.size]).to eq([20, 20, 40])
      end
      expect(sent).to be < 30_000
    end

    it 'keeps no more than a page in memory, whatever is asked' do
      queue.partitions(limit: 1)
      grown = growth do
        %i[next pending in_flight oldest].each do |order|
          expect(queue.partitions(order: order, limit: 20).size).to eq(20)
        end
        expect(queue.stats[:pending]).to be_positive
        expect(Resque.peek('fair', 0, 20).size).to eq(20)
        expect(Resque.peek('fair')['class']).to eq('Jobs::Fair')
        expect(queue.running).to eq([])
        expect(queue.reconcile).to eq(0)
      end
      # All ids alone would be more.
      expect(grown).to be < 30_000
    end

    it 'takes one of them out by its arguments alone' do
      sent = bytes_sent { expect(Resque.dequeue(Jobs::Fair, account_id: count - 1, n: 0)).to eq(1) }
      expect([sent < 10_000, queue.partition(count - 1).pending]).to eq([true, 0])
    end

    it 'takes a turn at about the cost of a turn among ten, by time and by what is read' do
      sent = bytes_sent { expect(turns(200).map { |job| account_of(job) }.uniq.size).to eq(200) }
      expect(sent).to be < 200 * 1000
      many = script_time { turns(100) }

      Resque.redis = "#{server.url.chomp('0')}1"
      fill(Array.new(2000) { |n| n % 10 })
      few = script_time { turns(100) }
      expect(many).to be < (3 * few) + 30, "#{many.round(1)} µs against #{few.round(1)} µs"
    end

    it 'enqueues at about the cost of an enqueue among ten' do
      costs = [0, 1].map do |database|
        Resque.redis = "#{server.url.chomp('0')}#{database}"
        script_time { 100.times { |n| Resque.enqueue(Jobs::Fair, account_id: n % 10, n: 1) } }
      end
      expect(costs[0]).to be < (3 * costs[1]) + 30, "µs: #{costs}"
    end
  end

  describe 'of which the last has drained' do
    drained = Integer(ENV.fetch('SCALE_PARTITIONS', '20000')) # rubocop:disable RSpec/LeakyLocalVariable -- a number

    it "leaves no key, seen by a full scan, after #{drained} of them were served once each" do
      fill(0...drained)
      readers, pids = Array.new(2) do
        reader, writer = IO.pipe
        pid = fork do
          served = 0
          while (job = reserve)
            Resque::FairShare::Lease.of(job).release
            served += 1
          end
          writer.puts(served)
        ensure
          exit!
        end
        writer.close
        [reader, pid]
      end.transpose
      expect(readers.sum { |reader| Integer(reader.read) }).to eq(drained)
      pids.each { |pid| Process.wait(pid) }
      expect(redis.scan_each.to_a).to eq(['resque:queues'])
    end

    it 'leaves no key, seen by a full scan' do
      Resque::FairShare.configure { |config| config.weight = lambda(&:size) }
      fill(0...3000)
      fill(Array.new(20) { |n| "#{'long' * 50}#{n}" })
      Resque::FairShare.queue('fair').partition(7).set(weight: 2, max_in_flight: 1).set(weight: nil, max_in_flight: nil)
      3.times { WorkerProcess.start('fair', interval: 0.02, fork_per_job: false) }
      wait_until('3,020 jobs', seconds: 120) { redis.llen('resque:spec:done') == 3020 && leases.empty? }
      expect_drained
      expect(redis.scan_each.to_a.grep_v(/\Aresque:(queues|workers|worker:|stat:|spec:|pruning)/)).to eq([])
    end
  end
end
