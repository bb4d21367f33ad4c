# frozen_string_literal: true

require 'socket'
require 'stringio'
require 'datadog/statsd'
require 'statsd-instrument'

# `config.statsd_client`: a partition's counts under the names that 0.1.0 documents.
RSpec.describe 'StatsD gauges' do
  # All that 0.1.0 asks of a client.
  let(:client) do
    Class.new do
      attr_reader :told

      def initialize
        @told = []
      end

      def gauge(name, value)
        @told << [name, value]
      end
    end.new
  end

  def use(statsd_client, **more)
    Resque::FairShare.configure do |config|
      config.statsd_client = statsd_client
      more.each { |name, value| config.public_send(:"#{name}=", value) }
    end
  end

  # @return what was told since the last call
  def told
    client.told.slice!(0..)
  end

  def gauge(partition, word, value, queue = 'fair')
    ["resque.fair_share.#{queue}.#{partition}.#{word}", value]
  end

  # What another application pushed.
  def foreign(account)
    Resque.encode(class: 'Jobs::Fair', args: [{ account_id: account }])
  end

  describe 'of a client that only has gauge(name, value)' do
    before { use(client) }

    it 'tell what waits after an enqueue, both counts after a reserve, and what runs after the end' do
      enqueue('a', 2)
      expect(told).to eq([gauge('a', 'pending', 1), gauge('a', 'pending', 2)])
      jobs = Array.new(2) { reserve }
      expect(told).to contain_exactly(gauge('a', 'pending', 1), gauge('a', 'in_flight', 1), gauge('a', 'pending', 0),
                                      gauge('a', 'in_flight', 2))
      jobs.each(&:perform)
      expect(told).to eq([gauge('a', 'in_flight', 1), gauge('a', 'in_flight', 0)])
    end

    it 'tell the end of a job that fails, once' do
      enqueue('a', 1, then: :fail)
      job = reserve
      told
      expect { job.perform }.to raise_error('told to fail')
      job.fail(RuntimeError.new)
      expect(told).to eq([gauge('a', 'in_flight', 0)])
    end

    it 'tell the same with legacy_scan' do
      use(client, dequeue_strategy: :legacy_scan)
      enqueue('a', 1)
      reserve.perform
      expect(told).to contain_exactly(gauge('a', 'pending', 1), gauge('a', 'pending', 0), gauge('a', 'in_flight', 1),
                                      gauge('a', 'in_flight', 0))
    end

    it 'name the queue and the id as they were given, but for the characters of a line of StatsD' do
      Resque.enqueue_to('a:b c', Jobs::Fair, account_id: 'Ä 1')
      expect(told).to eq([gauge('Ä%201', 'pending', 1, 'a%3Ab%20c')])
      enqueue("x:1|c|@0.1#t\n\u0000%")
      expect(told).to eq([gauge('x%3A1%7Cc%7C%400.1%23t%0A%00%25', 'pending', 1)])
      Resque.reserve('a:b c').perform
      expect(told.map(&:first).uniq.sort)
        .to eq(%w[resque.fair_share.a%3Ab%20c.Ä%201.in_flight resque.fair_share.a%3Ab%20c.Ä%201.pending])
    end

    it 'tell the counts when a dead worker\'s job goes back' do
      enqueue('a', 1)
      Process.wait(fork { reserve && exit! })
      told
      Resque::FairShare.queue('fair').reconcile
      expect(told).to contain_exactly(gauge('a', 'pending', 1), gauge('a', 'in_flight', 0))
    end

    it 'tell the count after enqueue_all' do
      Resque::FairShare.enqueue_all(Jobs::Fair, [[{ account_id: 'a' }], [{ account_id: 'b' }], [{ account_id: 'a' }]])
      expect(told.to_h).to eq([gauge('a', 'pending', 2), gauge('b', 'pending', 1)].to_h)
    end

    it 'tell what is left after Resque.dequeue, and nothing where nothing was removed' do
      enqueue('a', 2)
      enqueue('b', 1)
      told
      expect(Resque.dequeue(Jobs::Fair, account_id: 'a', n: 0)).to eq(1)
      expect(told).to eq([gauge('a', 'pending', 1)])
      expect([Resque.dequeue(Jobs::Fair, account_id: 'a', n: 7), told]).to eq([0, []])
      Resque.dequeue(Jobs::Fair, account_id: 'a', n: 1)
      expect(told).to eq([gauge('a', 'pending', 0)])
    end

    it 'tell it when the web page removes a job that it has shown' do
      enqueue('a', 2)
      shown = Resque.data_store.everything_in_queue('fair').first
      told
      expect(Resque.data_store.remove_from_queue('fair', shown)).to eq(1)
      expect(told).to eq([gauge('a', 'pending', 1)])
    end

    it 'tell 0 of a partition that was cleared, once' do
      enqueue('Ä 1', 2)
      told
      2.times { Resque::FairShare.queue('fair').partition('Ä 1').clear }
      expect(told).to eq([gauge('Ä%201', 'pending', 0)])
    end

    it 'tell 0 of each partition when the queue is removed' do
      enqueue('a', 2)
      enqueue('b', 1)
      Resque::FairShare.queue('fair').partition('b').pause
      told
      Resque.remove_queue('fair')
      expect(told).to contain_exactly(gauge('a', 'pending', 0), gauge('b', 'pending', 0))
    end

    it 'tell each partition\'s last count when a reserve routes what others pushed' do
      enqueue('b', 1)
      redis.lpush('resque:queue:fair', %w[a b a].map { |id| foreign(id) })
      told
      reserve
      adopted = told
      expect(adopted.first(2)).to contain_exactly(gauge('a', 'pending', 2), gauge('b', 'pending', 2))
      expect(adopted.drop(2).map(&:first).map { |name| name[/\w+\z/] }).to eq(%w[pending in_flight])
    end

    it 'tell what waits after each batch of Migration.perform, and of its rollback' do
      redis.sadd('resque:queues', ['fair'])
      redis.rpush('resque:queue:fair', Array.new(600) { |n| foreign(n < 400 ? 'a' : 'b') })
      Resque::FairShare::Migration.perform('fair')
      expect(told).to contain_exactly(gauge('a', 'pending', 400), gauge('b', 'pending', 100),
                                      gauge('b', 'pending', 200))
      Resque::FairShare::Migration.rollback('fair')
      expect(told).to contain_exactly(gauge('a', 'pending', 100), gauge('b', 'pending', 0), gauge('a', 'pending', 0))
    end

    it 'tell nothing of jobs without partition' do
      enqueue('a', 1)
      told
      Resque.enqueue(Jobs::Plain, 1)
      expect(told).to eq([])
    end
  end

  it 'cost no command more than none' do
    commands = lambda do
      redis.flushdb
      redis.config(:resetstat)
      enqueue('a', 5)
      5.times { reserve.perform }
      redis.info(:commandstats).transform_values { |stat| stat['calls'].to_i }.except('info', 'config|resetstat')
    end
    commands.call # the scripts are loaded
    without = commands.call
    use(client)
    expect(commands.call).to eq(without)
    expect(without['evalsha']).to eq(15)
    expect(told.size).to eq(20)
  end

  it 'of a client that raises are logged, and change nothing else' do
    log = StringIO.new
    raising = Class.new { def gauge(*) = raise(IOError, 'no route to statsd') }.new
    use(raising, logger: Logger.new(log))
    enqueue('a', 2)
    2.times { reserve.perform }
    expect(done).to eq(%w[a:0 a:1])
    expect(log.string.scan('StatsD client raised IOError: no route to statsd').size).to be >= 6
    expect_drained
  end

  it 'of a client that raises end no worker' do
    use(Class.new { def gauge(*) = raise(IOError) }.new)
    enqueue('a', 3)
    WorkerProcess.drain('fair')
    expect(done).to eq(%w[a:0 a:1 a:2])
    expect_drained
  end

  describe 'as datagrams' do
    let(:socket) { UDPSocket.new.tap { |udp| udp.bind('127.0.0.1', 0) } }
    let(:port) { socket.addr[1] }
    let(:expected) do
      [gauge('a', 'pending', 1), gauge('a', 'pending', 0), gauge('a', 'in_flight', 1), gauge('a', 'in_flight', 0)]
        .map { |name, value| "#{name}:#{value}|g" }
    end

    after { socket.close }

    # @return [Array<String>] so many metrics as they came over the wire
    def received(count)
      metrics = []
      while metrics.size < count
        raise "only #{metrics} came" unless socket.wait_readable(10)

        metrics.concat(socket.recv(65_536).split("\n").grep_v(/datadog\.dogstatsd/))
      end
      metrics
    end

    it 'are sent by dogstatsd-ruby' do
      statsd = Datadog::Statsd.new('127.0.0.1', port, telemetry_enable: false)
      use(statsd)
      enqueue('a', 1)
      reserve.perform
      statsd.flush(sync: true)
      expect(received(4)).to match_array(expected)
      statsd.close
    end

    def self.statsd_instrument(port)
      sink = StatsD::Instrument::Sink.for_addr("127.0.0.1:#{port}")
      StatsD::Instrument::Client.new(sink: sink, implementation: 'statsd')
    end

    def self.dogstatsd(port)
      Datadog::Statsd.new('127.0.0.1', port, buffer_flush_interval: 0.1, telemetry_enable: false)
    end

    it 'are sent by statsd-instrument' do
      use(self.class.statsd_instrument(port))
      enqueue('a', 1)
      reserve.perform
      expect(received(4)).to match_array(expected)
    end

    # Made as an initializer makes them: before the worker is forked.
    { 'dogstatsd-ruby' => :dogstatsd, 'statsd-instrument' => :statsd_instrument }.each do |name, make|
      it "are sent by #{name} from a forking worker" do
        use(self.class.public_send(make, port))
        enqueue('a', 2)
        worker = WorkerProcess.start('fair')
        expect(received(8).map { |metric| metric.delete_prefix('resque.fair_share.fair.a.') })
          .to match_array(%w[pending:1|g pending:2|g pending:1|g in_flight:1|g in_flight:0|g pending:0|g in_flight:1|g
                             in_flight:0|g])
        worker.quit
        expect(done).to eq(%w[a:0 a:1])
      end
    end
  end
end
