# frozen_string_literal: true

require 'timeout'

# Calls that are interrupted while they wait for Redis. A server of its own is made slow in two ways: `paused`, it
# mostly forgets what was given up meanwhile; `stopped` (SIGSTOP), it finds that in its socket and carries it out.
RSpec.describe 'An interrupted call' do
  let(:boom) { Class.new(StandardError) }
  let(:server) { RedisServer.another }

  before do
    server.client.flushall
    connect
    Resque::FairShare.configure { |config| config.max_in_flight = 2 }
  end

  def connect(timeout: 10, database: 0)
    Resque.redis = Redis.new(url: server.url(database), timeout: timeout)
  end

  def redis
    server.client
  end

  def slow(how)
    how == :paused ? redis.call('CLIENT', 'PAUSE', '60000', 'WRITE') : Process.kill(:STOP, server.pid)
    yield
  ensure
    how == :paused ? redis.call('CLIENT', 'UNPAUSE') : Process.kill(:CONT, server.pid)
  end

  # @return [Thread] that is inside the call
  def calling(call)
    thread = Thread.new { call.call }
    thread.report_on_exception = false
    wait_until { thread.stop? }
    thread
  end

  def elapsed
    start = now
    yield
    now - start
  end

  def interrupt_by_timeout(call)
    took = elapsed { expect { Timeout.timeout(0.3) { call.call } }.to raise_error(Timeout::Error) }
    expect(took).to be_between(0.3, 2)
  end

  def interrupt_by_raise(call)
    thread = calling(call)
    thread.raise(boom)
    expect(elapsed { expect { thread.join }.to raise_error(boom) }).to be < 2
  end

  def interrupt_by_kill(call)
    thread = calling(call)
    expect(elapsed { thread.kill.join }).to be < 2
  end

  shared_examples 'a call' do |how|
    { 'Timeout.timeout' => :interrupt_by_timeout,
      'Thread#raise' => :interrupt_by_raise,
      'Thread#kill' => :interrupt_by_kill }.each do |name, interrupt|
        it "#{name} ends a reserve at once; the next one of this process answers the same job" do
          enqueue('a', 3)
          expect(reserve.args.first['n']).to eq(0)
          slow(how) { send(interrupt, method(:reserve)) }

          expect([reserve.args.first['n'], in_flight('a'), pending('a')]).to eq([1, 2, 1])
          expect_consistent
        end

        it "#{name} ends an enqueue at once; it is done or not, and the next one is right" do
          enqueue('a', 1)
          slow(how) { send(interrupt, -> { enqueue('a', 1, n: 1) }) }
          enqueue('b', 1)

          expect(waiting('a')).to how == :stopped ? eq(2) : be_between(1, 2)
          expect([waiting('b'), pending('b'), Resque.size('fair')]).to eq([1, 1, waiting('a') + 1])
          expect_consistent
        end

        it "#{name} ends a release at once; the slot is free all the same, soon after" do
          enqueue('a', 4)
          reserve.perform # so that the server knows all scripts
          jobs = Array.new(2) { reserve }
          slow(how) { send(interrupt, Resque::FairShare::Lease.of(jobs.first).method(:release)) }

          expect(reserve&.args&.first).to include('n' => 3)
          expect([in_flight('a'), leases.size]).to eq([2, 2])
          expect_consistent
        end
      end

    it 'goes on after a signal whose handler ran meanwhile' do
      enqueue('a', 2)
      reserve
      ran = Queue.new
      previous = trap('USR2') { ran << now }
      answer = nil
      slow(how) do
        thread = Thread.new { answer = reserve }
        wait_until { thread.stop? }
        5.times do |n|
          Process.kill(:USR2, Process.pid)
          wait_until { ran.size == n + 1 }
        end
        expect(thread).to be_alive
        thread
      end.join
      expect([answer.args.first['n'], in_flight('a')]).to eq([1, 2])
      expect_consistent
    ensure
      trap('USR2', previous)
    end

    it "runs a signal's handler during the main thread's call, in a process that is stopped and continued, too" do
      enqueue('a', 1)
      reader, writer = IO.pipe
      pid = fork do
        trap('USR2') { writer.syswrite('handled ') }
        writer.syswrite('calling ')
        writer.syswrite("#{reserve.args.first['n']} #{in_flight('a')}")
      ensure
        exit!
      end
      slow(how) do
        expect(reader.readpartial(99)).to eq('calling ')
        wait_until { File.read("/proc/#{pid}/stat").include?(') S ') }
        2.times do
          Process.kill(:STOP, pid)
          Process.kill(:CONT, pid)
          Process.kill(:USR2, pid)
          expect(reader.readpartial(99)).to eq('handled ')
        end
        Process.kill(:STOP, pid)
      end
      wait_until { leases.any? }
      Process.kill(:CONT, pid)
      Process.wait(pid)
      expect(reader.readpartial(99)).to eq('0 1')
    end

    it 'leaves the other threads of the process running' do
      enqueue('a', 1)
      ticks = 0
      ticker = Thread.new { loop { (ticks += 1) && sleep(0.005) } }
      slow(how) do
        thread = calling(method(:reserve))
        before = ticks
        wait_until { ticks > before + 20 }
        expect(thread).to be_alive
        thread
      end.join
    ensure
      ticker.kill
    end

    it 'that ran into its own timeout is not answered by a later reply, and its job is not lost (R056)' do
      connect(timeout: 0.2)
      Resque.enqueue_to(:one, Jobs::Fair, account_id: 'of one', n: 1)
      Resque.enqueue_to(:two, Jobs::Fair, account_id: 'of two', n: 2)
      slow(how) { expect { reserve(:one) }.to raise_error(Redis::TimeoutError) }

      expect([account_of(reserve(:two)), account_of(reserve(:one))]).to eq(['of two', 'of one'])
      expect([reserve(:one), reserve(:two), leases('one').size, leases('two').size]).to eq([nil, nil, 1, 1])
    end
  end

  context('with a server that is paused') { it_behaves_like 'a call', :paused }

  context('with a server that is stopped') { it_behaves_like 'a call', :stopped }

  it 'is ended at once while a new connection is set up, too' do
    connect(database: 1)
    call = -> { enqueue('a', 1) }
    slow(:stopped) do
      interrupt_by_timeout(call)
      interrupt_by_raise(call)
      interrupt_by_kill(call)
    end
    enqueue('a', 1)
    expect(Resque.redis.llen('fair_share:fair:sub:a')).to be_between(1, 4)
  end

  it 'keeps the job of a reserve that is ended while it looks for the dead as well' do
    enqueue('a', 2)
    reconciliation = Resque::FairShare::Reconciliation
    allow(reconciliation).to receive(:quietly) { Thread.exit } # as a Thread#kill at that moment
    redis.hset('resque:fair_share:fair:state', 'reconciled', 0)
    Thread.new { reserve }.join
    allow(reconciliation).to receive(:quietly).and_call_original

    expect([in_flight('a'), reserve.args.first['n'], in_flight('a')]).to eq([1, 0, 1])
    expect_consistent
  end

  it 'keeps the job of a reserve that is ended after it was popped' do
    enqueue('a', 2)
    kill = TracePoint.new(:call) { |event| Thread.exit if event.method_id == :decode }
    Thread.new { kill.enable { reserve } }.join
    expect([in_flight('a'), reserve.args.first['n'], in_flight('a')]).to eq([1, 0, 1])
    expect_consistent
  end

  it 'gives each job to somebody exactly once, 60 times raised at random' do
    Resque::FairShare.configure { |config| config.max_in_flight = 0 }
    enqueue('a', 300)
    got = []
    raised = 0
    # Only inside of a blocking call, so that what reserve returned is never dropped by the spec itself.
    thread = Thread.new do
      Thread.handle_interrupt(boom => :on_blocking) do
        while got.size < 300
          begin
            got << reserve.args.first['n']
            sleep 0.001
          rescue boom
            raised += 1
          end
        end
      end
    end
    60.times do
      sleep(rand * 0.01) # the random moment is the point
      thread.raise(boom) if thread.alive?
    end
    thread.join
    expect(got.sort).to eq((0...300).to_a)
    expect(raised).to be > 10
    expect([leases.size, in_flight('a')]).to eq([300, 300])
  end

  it 'does not abort the process when it comes while an error is raised' do
    redis.set('resque:fair_share:fair:state', 'of a wrong type')
    # As a Timeout does on Ruby 3.1: a throw, at the worst of moments.
    moment = TracePoint.new(:c_call) do |event|
      throw :out if event.method_id == :initialize && event.self.is_a?(Redis::BaseError)
    end
    pid = fork do
      moment.enable { catch(:out) { enqueue('a', 1) } }
      exit!(7)
    ensure
      exit!(8)
    end
    expect(Process.wait2(pid).last).to have_attributes(exitstatus: 7, termsig: nil)
  end

  it 'leaves no later reserve taken for a nested one' do
    enqueue('a', 2)
    Resque::FairShare::Patches::JobReserve.state.inside = true # as a raise out of a trap handler leaves it
    expect(Array.new(2) { reserve.args.first['n'] }).to eq([0, 1])
    expect(in_flight('a')).to eq(2)
  end
end
