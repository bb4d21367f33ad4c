# frozen_string_literal: true

# Plain classes, fair classes and what others push share one queue.
RSpec.describe 'A mixed queue' do
  def configure(**settings)
    Resque::FairShare.configure { |config| settings.each { |name, value| config.public_send(:"#{name}=", value) } }
  end

  def foreign(job, *args)
    Resque.encode(class: job, args: args)
  end

  # Each job costs the same, however long it took.
  before { configure(charge: :jobs) }

  # As another language or a plugin does it.
  def push_raw(*payloads, command: :rpush)
    redis.sadd('resque:queues', ['fair'])
    redis.public_send(command, 'resque:queue:fair', payloads)
  end

  def plain_payloads(count)
    Array.new(count) { |n| foreign('Jobs::Plain', n) }
  end

  # @return [Array<String>] class or account of so many reserves, each of which ends
  def turns(count)
    Array.new(count) do
      job = reserve or next
      job.perform
      job.payload['class'] == 'Jobs::Plain' ? 'plain' : account_of(job)
    end
  end

  def tickets
    redis.llen('resque:queue:fair')
  end

  describe 'turns' do
    it 'are taken by plain jobs as by one tenant more' do
      enqueue('a', 10)
      enqueue('b', 10)
      10.times { |n| Resque.enqueue(Jobs::Plain, n) }
      expect(turns(9).tally).to eq('a' => 3, 'b' => 3, 'plain' => 3)
    end

    it 'are taken by fair jobs behind a flood of plain ones, whoever pushed them' do
      push_raw(*plain_payloads(3000))
      2000.times { |n| Resque.enqueue(Jobs::Plain, n) }
      enqueue('a', 5)
      expect(Resque.size('fair')).to eq(5005)
      expect(turns(12).tally['a']).to be >= 5
    end

    it 'are taken by fair jobs behind a flood that a worker takes for a plain queue' do
      push_raw(*plain_payloads(300))
      worker = WorkerProcess.start('fair', interval: 0.01, fork_per_job: false)
      wait_until('plain jobs') { done.size > 5 }
      push_raw(*plain_payloads(1000))
      enqueue('a', 5)
      wait_until('all jobs', seconds: 40) { done.size == 1305 }
      worker.quit
      expect(done.uniq.size).to eq(305 + 700)
      expect_drained
    end

    it 'are taken by plain jobs beside a flood of fair ones, when their process knows the queue' do
      3.times { |account| enqueue(account, 300) }
      2.times { |n| Resque.enqueue(Jobs::Plain, n) }
      expect(turns(8).tally['plain']).to eq(2)
    end

    it 'are taken by a payload that was pushed behind fair jobs when it reaches the head of the list' do
      enqueue('a', 20)
      push_raw(foreign('Jobs::Plain', 1))
      expect(turns(21).last(2)).to include('plain')
      expect_drained
    end

    it 'are taken at once by a payload that was pushed to the head (LPUSH)' do
      enqueue('a', 20)
      push_raw(foreign('Jobs::Plain', 1), command: :lpush)
      expect(turns(2)).to include('plain')
    end
  end

  describe 'when no tenant may run' do
    { 'at its cap' => :cap, 'paused' => :pause }.each do |how, stop|
      describe "because each is #{how}" do
        let(:ids) { %w[a b] }

        before do
          configure(max_in_flight: 1)
          ids.each do |account|
            enqueue(account, 31)
            stop == :cap ? reserve : Resque::FairShare.queue('fair').partition(account).pause
          end
        end

        it 'gives nothing of theirs' do
          expect(reserve).to be_nil
        end

        it 'serves plain jobs' do
          3.times { |n| Resque.enqueue(Jobs::Plain, n) }
          expect(turns(4)).to eq(['plain', 'plain', 'plain', nil])
        end

        it 'serves what others push, at either end of the list, of any class' do
          push_raw(foreign('Jobs::Plain', 1))
          push_raw(foreign('Jobs::Plain', 2), command: :lpush)
          push_raw(foreign('Jobs::Fair', { account_id: 'c', n: 0 }))
          before = tickets
          expect(turns(4).compact.sort).to eq(%w[c plain plain])
          expect(tickets).to eq(before - 3)
        end
      end
    end

    it 'serves at once what was pushed behind thousands of tickets' do
      enqueue('a', 5000)
      Resque::FairShare.queue('fair').partition('a').pause
      push_raw(foreign('Jobs::Plain', 1))
      expect(turns(1)).to eq(['plain'])
      expect(tickets).to eq(5000)
    end

    it 'gives nothing, and keeps the tickets, to a process that did not know the queue' do
      enqueue('a', 3)
      Resque::FairShare.queue('fair').partition('a').pause
      2.times do
        Process.wait(fork do
          Resque.redis = REDIS_URL
          Resque.reserve('fair') && Resque.redis.rpush('spec:done', 'ran')
        ensure
          exit!
        end)
      end
      expect([done, tickets]).to eq([[], 3])
    end
  end

  describe 'a foreign payload of a fair class' do
    it 'lands in its partition, under its cap' do
      configure(max_in_flight: 1)
      enqueue('a', 1)
      push_raw(*Array.new(2) { |n| foreign('Jobs::Fair', { account_id: 'b', n: n }) })
      expect([reserve, reserve].map { |job| account_of(job) }.sort).to eq(%w[a b])
      expect([reserve, in_flight('b'), pending('b')]).to eq([nil, 1, 1])
      expect_consistent
    end

    it 'lands in its partition, under its cap, on a queue that no fair job had entered' do
      configure(max_in_flight: 1)
      push_raw(*Array.new(3) { |n| foreign('Jobs::Fair', { account_id: 'b', n: n }) })
      first = reserve
      expect([first.args[0]['n'], reserve, in_flight('b'), pending('b')]).to eq([0, nil, 1, 2])
      expect_consistent
      first.perform
      expect(turns(3)).to eq(['b', 'b', nil])
      expect_drained
    end

    it 'without a partition runs all the same: nobody is there to refuse it to' do
      push_raw(foreign('Jobs::Fair', { n: 1 }))
      enqueue('a', 1)
      WorkerProcess.drain('fair')
      expect(done.sort).to eq([':1', 'a:0'])
      expect_drained
    end
  end

  describe 'a class that can\'t be had' do
    before do
      enqueue('a', 2)
      push_raw(foreign('No::Such', 1), foreign('no way', 2), foreign('', 3))
    end

    it 'fails its job, once, and the others run' do
      WorkerProcess.drain('fair')
      failures = redis.lrange('resque:failed', 0, -1).map { |entry| JSON.parse(entry)['payload']['args'] }
      expect(failures.sort).to eq([[1], [2], [3]])
      expect(done).to eq(%w[a:0 a:1])
      expect_drained
    end
  end

  # Stock ends its worker by it, after the job has failed.
  it 'fails the job of a class whose file can\'t be loaded, once, and keeps no slot' do
    Dir.mktmpdir do |folder|
      { 'Broken' => 'raise "broken"', 'Missing' => 'require "no/such/file"', 'Wrong' => 'def (' }.each do |name, code|
        File.write(File.join(folder, "#{name}.rb"), code)
        Object.autoload(name, File.join(folder, "#{name}.rb"))
        push_raw(foreign(name, 1))
      end
      enqueue('a', 1)
      4.times { WorkerProcess.drain('fair') }
    end
    expect([redis.llen('resque:failed'), done]).to eq([3, ['a:0']])
    expect_drained
  ensure
    %i[Broken Missing Wrong].each { |name| Object.send(:remove_const, name) } # rubocop:disable RSpec/RemoveConst
  end

  describe 'the queue\'s name' do
    ['a:b', 'a:sub:b', 'a b', '😀', "tab\tname", 'fair_share:x'].each do |name|
      it "may be #{name.inspect}" do
        Resque.enqueue_to(name, Jobs::Fair, account_id: 'x:y', n: 0)
        Resque.enqueue_to(name, Jobs::Plain, 1)
        Resque.redis.rpush("queue:#{name}", foreign('Jobs::Plain', 2))
        expect([Resque.size(name), Resque.queues]).to eq([3, [name]])
        WorkerProcess.drain(name, fork_per_job: false)
        expect([done.sort, Resque.size(name), our_keys]).to eq([%w[plain:1 plain:2 x:y:0], 0, []])
      end
    end

    it 'is one, as a Symbol and as a String' do
      Resque.enqueue_to(:fair, Jobs::Fair, account_id: 'a', n: 0)
      Resque.enqueue_to('fair', Jobs::Fair, account_id: 'a', n: 1)
      Resque.push(:fair, class: 'Jobs::Plain', args: [1])
      expect([Resque.size(:fair), Resque.size('fair'), Resque.queues]).to eq([3, 3, ['fair']])
      jobs = [:fair, 'fair', :fair, 'fair'].filter_map { |name| Resque.reserve(name) }
      expect(jobs.each(&:perform).size).to eq(3)
      expect_drained
    end

    it 'never meets another\'s keys: (a, b:c) and (a:b, c) are two' do
      Resque.enqueue_to('a', Jobs::Fair, account_id: 'b:c', n: 1)
      Resque.enqueue_to('a:b', Jobs::Fair, account_id: 'c', n: 2)
      Resque.enqueue_to('a:sub', Jobs::Fair, account_id: 'x', n: 3)
      Resque.enqueue_to('a', Jobs::Fair, account_id: 'sub:x', n: 4)
      expect(['a', 'a:b', 'a:sub'].map { |name| Resque::FairShare.queue(name).stats[:pending] }).to eq([2, 1, 1])
      expect(Resque.reserve('a:b').args[0]['n']).to eq(2)
      expect([Resque.reserve('a:sub').args[0]['n'], Resque.reserve('a:sub')].compact).to eq([3])
    end
  end
end
