# frozen_string_literal: true

require 'support/application'

# A queue without fair jobs costs what it costs in stock Resque, and a process without this gem breaks nothing.
RSpec.describe 'Stock Resque' do
  # What one step of an application asked of Redis: each command and how often, after a first round that connects, loads
  # scripts and the like.
  let(:steps) do
    <<~RUBY
      $control = Redis.new(url: ENV.fetch('APPLICATION_REDIS'))
      class Plain
        @queue = :plain
        def self.perform(*) = nil
      end

      STEPS = {
        'enqueue' => -> { Resque.enqueue(Plain, 1) },
        'enqueue to a queue by name' => -> { Resque.enqueue_to(:plain, Plain, 2) },
        'create' => -> { Resque::Job.create('plain', 'No::Such', 1) },
        'size' => -> { Resque.size(:plain) },
        'sizes' => -> { Resque.queue_sizes },
        'peek' => -> { Resque.peek(:plain) },
        'peek at many' => -> { Resque.peek(:plain, 0, 10) },
        'samples' => -> { Resque.sample_queues },
        'info' => -> { Resque.info },
        'reserve' => -> { Resque.reserve(:plain) },
        'reserve and perform' => -> { Resque.reserve('plain').perform },
        'pop' => -> { Resque.pop(:plain) },
        'reserve of nothing' => -> { Resque.reserve(:plain) },
        'reserve of a queue that is not there' => -> { Resque.reserve(:none) }
      }

      def count
        $control.config(:resetstat)
        yield
        $control.info(:commandstats).transform_values { |stat| stat['calls'].to_i }.except('config|resetstat', 'info')
      end

      def run_steps
        STEPS.transform_values { |step| count(&step) }
      end

      run_steps
    RUBY
  end

  def measured(fair_share, code)
    Application.with(fair_share) do |app|
      redis.flushdb
      JSON.parse(app.run("#{steps}\nprint JSON.generate(begin\n#{code}\nend)"))
    end
  end

  def tickets
    redis.llen('resque:queue:fair')
  end

  it 'asks the same of Redis, command by command, where a queue has no fair jobs' do
    stock, ours = %i[stock ours].map { |fair_share| measured(fair_share, 'run_steps') }
    expect(stock['enqueue']).to eq('sadd' => 1, 'rpush' => 1)
    expect(stock['reserve']).to eq('lpop' => 1)
    expect(ours).to eq(stock)
    expect(redis.keys.grep(/fair_share/)).to eq([])
  end

  it 'asks the same over a worker\'s whole life, but for one look when it starts, and opens no connection more' do
    code = <<~RUBY
      5.times { Resque.enqueue(Plain, 1) }
      used = count { work('plain') }
      own = $control.client(:id) # Others' connections, of specs before this one, may be closed meanwhile.
      used.merge('connections' => $control.client(:list).count { |client| client['id'].to_i >= own })
    RUBY
    stock, ours = %i[stock ours].map { |fair_share| measured(fair_share, code) }
    expect(ours.except('exists')).to eq(stock.except('exists'))
    expect(ours['exists'].to_i - stock['exists'].to_i).to eq(1)
  end

  it 'asks the same again when a queue\'s fair jobs have gone' do
    code = <<~RUBY
      Resque.enqueue_to(:plain, Sync, account_id: 1) if defined?(Resque::FairShare)
      Resque.reserve(:plain)&.perform
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 10
      # It goes by what it knows for some seconds.
      until count { Resque.reserve(:plain) } == { 'lpop' => 1 }
        raise 'never' if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
        sleep 0.1
      end
      run_steps
    RUBY
    stock, ours = %i[stock ours].map { |fair_share| measured(fair_share, code) }
    expect(ours).to eq(stock)
    expect(redis.keys.grep(/fair_share/)).to eq([])
  end

  # What stock's client does for a plain job, the core does faster.
  describe 'where the core has a connection open' do
    before do
      enqueue('a', 1)
      reserve.perform
      Resque.push('plain', class: 'Jobs::Plain', args: ['ä 😀'])
    end

    let(:worker) { Resque::Worker.new('plain').tap { |worker| worker.fork_per_job = false } }

    def pop
      Resque.data_store.pop_from_queue('plain')
    end

    def client_address
      own = Resque.redis.redis.call('CLIENT', 'ID').to_s
      redis.client(:list).find { |client| client['id'] == own }['addr']
    end

    it 'its connection pops a plain job, and writes what a worker writes' do
      address = client_address
      lines = monitored { worker.work_one_job }
      client, core = lines.partition { |line| line.include?(address) }.map { |part| commands_in(part) }
      expect(core).to eq(%w[lpop set del incrby incrby])
      expect(client & core).to eq([])
    end

    it 'leaves what stock leaves, and gives the payload as stock gives it' do
      payload = pop
      expect([payload, payload.encoding]).to eq(['{"class":"Jobs::Plain","args":["ä 😀"]}', Encoding::UTF_8])
      Resque.push('plain', class: 'Jobs::Plain', args: [1])
      job = worker.reserve
      worker.working_on(job)
      expect(worker.job).to include('queue' => 'plain', 'payload' => job.payload)
      worker.done_working
      expect([worker.job, redis.get('resque:stat:processed'), redis.get("resque:stat:processed:#{worker}")])
        .to eq([{}, '1', '1'])
    end

    it 'leaves the pop to a plugin that has put something in its place' do
      access = Resque::DataStore::QueueAccess
      original = access.instance_method(:pop_from_queue).super_method
      access.send(:alias_method, :pop_from_queue, :pop_from_queue)
      access.define_method(:pop_from_queue) { |queue| original.bind_call(self, queue).sub('Plain', 'Fair') }
      expect(pop).to include('Jobs::Fair')
    ensure
      access.define_method(:pop_from_queue, original)
    end

    it 'reports an error of Redis as stock reports it' do
      redis.set('resque:queue:text', 'no list')
      expect { Resque.pop('text') }.to raise_error(Redis::CommandError, /WRONGTYPE/)
    end
  end

  describe 'on a fair queue: a worker without this gem' do
    around { |example| Application.with(:stock) { |app| (@app = app) && example.run } }

    attr_reader :app

    before { enqueue('a', 5) }

    it 'sees nothing, breaks nothing, and eats tickets, which come back; all jobs run' do
      expect(app.run("print 6.times.map { Resque.reserve('fair').inspect }.uniq.join")).to eq('nil')
      expect([tickets, waiting('a'), pending('a')]).to eq([0, 5, 5])
      Resque::FairShare.queue('fair').reconcile
      expect([tickets, Resque.size('fair')]).to eq([5, 5])
      expect_consistent

      WorkerProcess.drain('fair')
      expect(done).to eq(Array.new(5) { |n| "a:#{n}" })
      expect_drained
    end

    it 'runs as stock runs on an empty queue, and ends when it is told to' do
      app.run("work('fair')")
      expect([redis.llen('resque:failed'), waiting('a'), done]).to eq([0, 5, []])
      WorkerProcess.drain('fair')
      expect(done.size).to eq(5)
      expect_drained
    end

    it 'eats all tickets of thousands, and they come back' do
      enqueue('b', 2500)
      app.run("work('fair')")
      app.run("Resque.redis.del('queue:fair')")
      3.times { Resque::FairShare.queue('fair').reconcile }
      expect(tickets).to eq(2505)
    end

    it 'does not hide the jobs from a worker that works already' do
      Resque.remove_queue('fair')
      enqueue('a', 1, then: :hold)
      worker = WorkerProcess.start('fair', interval: 0.05)
      wait_until { holding.any? }
      enqueue('a', 3, n: 7)
      app.run("5.times { Resque.reserve('fair') }")
      expect(tickets).to eq(0)
      let_go
      wait_until('all jobs') { done.grep(/a:7/).size == 3 }
      worker.quit
      expect_drained
    end

    it 'does not hide the jobs from a worker that has never seen the queue fair' do
      WorkerProcess.drain('fair')
      redis.del('resque:spec:done')
      worker = WorkerProcess.start('fair', interval: 0.05)
      wait_until { worker.registered? }
      Process.kill(:STOP, worker.pid)
      enqueue('a', 3)
      app.run("5.times { Resque.reserve('fair') }")
      Process.kill(:CONT, worker.pid)
      enqueue('a', 1, n: 9)
      wait_until('all jobs', seconds: 15) { done.size == 4 }
      worker.quit
      expect_drained
    end

    it 'sees the plain jobs of the queue, and what others push, and runs them' do
      redis.lpush('resque:queue:fair', Resque.encode(class: 'Sync', args: [{ account_id: 'p', n: 1 }]))
      app.run("work('fair')")
      expect([done, waiting('a')]).to eq([['p:1'], 5])
      WorkerProcess.drain('fair')
      expect_drained
    end
  end
end
