# frozen_string_literal: true

RSpec.describe 'After a fork' do
  # Connections that earlier specs have left to the garbage collector.
  let!(:earlier) { scripting_clients(redis) }

  def work(queue, count, text = queue)
    count.times.filter_map do |n|
      Resque.enqueue_to(queue, Jobs::Fair, account_id: text, n: n)
      job = Resque.reserve(queue)
      Resque::FairShare::Lease.of(job).release
      [queue, text, n] unless [job.queue, *job.args.first.values_at('account_id', 'n')] == [queue, text, n]
    end
  end

  # A child that has to end within five seconds. Its last words are the value of the block.
  def child
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      writer.write(yield.inspect)
    rescue Exception => e # rubocop:disable Lint/RescueException -- whatever it is, the spec has to see it
      writer.write("#{e.class}: #{e.message}")
    ensure
      writer.close
      exit!
    end
    writer.close
    -> { finish(pid, reader) }
  end

  def finish(pid, reader)
    ended = wait_until("child #{pid}", seconds: 5) { Process.wait(pid, Process::WNOHANG) }
    ended && reader.read
  rescue RuntimeError
    Process.kill(:KILL, pid)
    Process.wait(pid)
    'hung'
  end

  # @return [Array<String>] ids of the connections that ran a script last
  def scripting_clients(client)
    client.client(:list).select { |entry| entry['cmd'].start_with?('eval') }.map { |entry| entry['id'] }
  end

  # @return [Array<String>] those of them that are the core's own, of this process and its children
  def native_clients(client = redis)
    scripting_clients(client) - earlier
  end

  it 'the child has a connection of its own, and the parent keeps its one' do
    work('fair', 1)
    expect(native_clients.size).to eq(1)
    mine = native_clients.first

    both = JSON.parse(child { work('fair', 1) && native_clients(Redis.new(url: REDIS_URL)) }.call)
    expect([both.size, both.include?(mine)]).to eq([2, true])
    wait_until { native_clients == [mine] }
    expect(work('fair', 1)).to eq([])
    expect(native_clients).to eq([mine])
  end

  it 'a child that takes no turn opens no connection' do
    work('fair', 1)
    received = -> { redis.info('stats')['total_connections_received'].to_i }
    expect { child { GC.start || :nothing }.call }.not_to(change { received.call })
  end

  it 'four children and the parent call at once, and each sees its own replies only (R044, R048)' do
    work('parent', 1)
    children = Array.new(4) { |number| child { work("child-#{number}", 300, "text of #{number}" * 20) } }
    expect(work('parent', 300)).to eq([])
    expect(children.map(&:call)).to eq(['[]'] * 4)
    expect(our_keys).to eq([])
  end

  it 'children and the parent share one queue, and each job is taken once' do
    Resque::FairShare.configure { |config| config.max_in_flight = 0 }
    400.times { |n| enqueue(n % 4, 1, n: n) }
    take = -> { Array.new(80) { reserve.args.first['n'] } }
    children = Array.new(4) { child(&take) }
    taken = take.call + children.flat_map { |result| JSON.parse(result.call) }
    expect(taken.sort).to eq((0...400).to_a)
    expect(leases.size).to eq(400)
  end

  it 'a child works while another thread of its parent was inside a call (R046)' do
    errors = []
    stop = false
    threads = Array.new(3) { |number| Thread.new { errors.concat(work("thread-#{number}", 1)) until stop } }
    results = Array.new(15) { |number| child { work("child-#{number}", 3) }.call }
    stop = true
    threads.each(&:join)
    expect([results, errors]).to eq([['[]'] * 15, []])
  end

  it 'a child works while another thread of its parent waits for a reply' do
    slow = RedisServer.start
    Resque.redis = Redis.new(url: slow.url, timeout: 10)
    work('parent', 1)
    slow.client.call('CLIENT', 'PAUSE', '60000', 'WRITE')
    thread = Thread.new { enqueue('a', 1) }
    wait_until { thread.stop? }
    same = child { slow.client.call('CLIENT', 'UNPAUSE') && work('child', 3) }
    Resque.redis = REDIS_URL
    another = child { work('child', 3) }
    expect([same.call, another.call]).to eq(['[]', '[]'])
    thread.join
    expect(slow.client.llen('resque:queue:fair')).to eq(1)
  ensure
    slow.stop
  end

  {
    'exit!' => -> { exit! },
    'exit, and so with all its finalizers,' => -> { GC.start && exit },
    'kill -9' => -> { Process.kill(:KILL, Process.pid) && sleep }
  }.each do |how, ending|
    it "the parent's connection works on after children have ended by #{how}" do
      work('fair', 1)
      mine = native_clients
      2.times do |calls|
        pid = fork do
          work('child', calls)
          ending.call
        end
        Process.wait(pid)
        expect(work('fair', 5)).to eq([])
      end
      wait_until { native_clients.size == 1 }
      expect(native_clients).to eq(mine)
    end
  end

  it 'a job of a child that ended without a word is not taken for one of its parent' do
    enqueue('a', 2)
    job = nil
    child { reserve.args }.call
    expect { job = reserve }.to change { in_flight('a') }.from(1).to(2)
    expect(job.args.first['n']).to eq(1)
    expect(Resque::FairShare::Queue.current('fair').reconcile).to eq(1)
    expect(in_flight('a')).to eq(1)
  end

  it 'lease ids of parent and children differ' do
    60.times { |n| enqueue('a', 1, n: n) }
    Resque::FairShare.configure { |config| config.max_in_flight = 0 }
    reserve
    Array.new(6) { child { 9.times { reserve } } }.each(&:call)
    5.times { reserve }
    expect([leases.size, in_flight('a'), waiting('a')]).to eq([60, 60, 0])
  end
end
