# frozen_string_literal: true

require 'support/ruby_process'

# Tests of an application, and its development machines, often have no Redis: nothing may dial it then.
RSpec.describe 'Without Redis' do
  include RubyProcess

  # Nothing listens there.
  let(:closed) { 'redis://127.0.0.1:1/0' }

  describe 'Resque.inline' do
    attr_reader :server

    # Counts who connects, and lets nobody in.
    around do |example|
      @server = TCPServer.new('127.0.0.1', 0)
      server.listen(8)
      example.run
    ensure
      server.close
    end

    def dialled?
      server.accept_nonblock.close
      true
    rescue IO::WaitReadable
      false
    end

    let(:job_class) do
      stub_const('InlineJob', Class.new do
        extend Resque::Plugins::FairShare

        fair_share_on :account_id
        @queue = :fair
        @ran = []
        class << self
          attr_reader :ran

          def perform(params)
            ran << params
            raise ArgumentError, 'told to fail' if params['fail']
          end

          def before_enqueue_log(*) = ran << :before_enqueue
          def after_enqueue_log(*) = ran << :after_enqueue
        end
      end)
    end

    before do
      Resque.inline = true
      Resque.redis = Redis.new(host: '127.0.0.1', port: server.addr[1], timeout: 0.2, reconnect_attempts: 0)
    end

    it 'performs the job at once, with its hooks and with arguments as a worker has them' do
      expect(Resque.enqueue(job_class, account_id: :a, n: 1)).to be(true)
      expect(job_class.ran).to eq([:before_enqueue, { 'account_id' => 'a', 'n' => 1 }, :after_enqueue])
      expect(dialled?).to be(false)
    end

    it 'does not with enqueue_to, Job.create and enqueue_all either' do
      Resque.enqueue_to(:other, job_class, account_id: 1)
      Resque::Job.create('fair', job_class, account_id: 2)
      expect(Resque::FairShare.enqueue_all(job_class, [[{ account_id: 3 }], [{ account_id: 4 }]])).to eq(2)
      expect(job_class.ran.grep(Hash).map { |params| params['account_id'] }).to eq([1, 2, 3, 4])
      expect(dialled?).to be(false)
    end

    it 'lets the job’s own exception through' do
      expect { Resque.enqueue(job_class, account_id: 1, fail: true) }.to raise_error(ArgumentError, 'told to fail')
      expect(dialled?).to be(false)
    end

    it 'would notice a connection' do
      Resque.inline = false
      expect { Resque.enqueue(job_class, account_id: 1) }.to raise_error(Redis::BaseConnectionError)
      expect(dialled?).to be(true)
    end
  end

  it 'requiring, configuring and defining job classes dials nothing' do
    output = run_ruby(<<~RUBY, redis: closed)
      require 'resque-fair-share-rs'
      Resque::FairShare.configure { |config| config.max_in_flight = 3; config.queue 'fair', weight: ->(id) { 1 } }
      class Job
        extend Resque::Plugins::FairShare
        @queue = :fair
        fair_share_on :account_id
        def self.perform(params) = puts("ran \#{params['account_id']}")
      end
      Resque.inline = true
      Resque.enqueue(Job, account_id: 7)
      Resque.inline = false
      begin
        Resque.enqueue(Job, account_id: 8)
      rescue Redis::CannotConnectError => e
        puts e.class
      end
    RUBY
    expect(output.lines.map(&:chomp)).to eq(['ran 7', 'Redis::CannotConnectError'])
  end

  # resque_spec keeps queues in Arrays, for an application's own specs.
  {
    'before' => "require 'resque_spec'; require 'resque-fair-share-rs'",
    'after' => "require 'resque-fair-share-rs'; require 'resque_spec'"
  }.each do |order, requires|
    it "resque_spec, loaded #{order} us, gets and runs the jobs and dials nothing" do
      output = run_ruby(<<~RUBY, redis: closed)
        require 'resque'
        #{requires}
        class Job
          extend Resque::Plugins::FairShare
          @queue = :fair
          fair_share_on :account_id
          def self.perform(params) = puts("ran \#{params['account_id']}")
        end
        Resque.enqueue(Job, account_id: 1)
        Resque.enqueue_to(:other, Job, account_id: 2)
        puts Resque.size(:fair), Resque.size(:other)
        ResqueSpec.perform_all(:fair)
        puts Resque.size(:fair)
        Resque.dequeue(Job, account_id: 2)
        extend ResqueSpec::Helpers
        with_resque { Resque.enqueue(Job, account_id: 3) }
        puts Resque.reserve(:other).class
      RUBY
      expect(output.lines.map(&:chomp)).to eq(['1', '1', 'ran 1', '0', 'ran 3', 'Resque::Job'])
    end
  end
end
