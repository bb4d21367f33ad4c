# frozen_string_literal: true

# Entries that are no job, in the main list and in a partition's.
RSpec.describe 'A poison entry' do
  NESTED = 150.times.inject('1') { |inner, _| "[#{inner}]" }

  POISON = {
    'not json' => 'not json', 'a number' => '1', 'a long number' => '123456789012345', 'a string' => '"str"', 'null' => 'null',
    'an empty object' => '{}', 'an empty array' => '[]', 'nothing' => '', 'invalid UTF-8' => "{\"class\":\"Jobs::Plain\",\"args\":[\"\xff\xfe\"]}",
    'invalid UTF-8, no json' => "\xff\xfe", 'nesting of 150' => %({"class":"Jobs::Plain","args":[#{NESTED}]}),
    'half a payload' => '{"class":"Jobs::Plain","args":[', 'arguments that are no Array' => '{"class":"Jobs::Plain","args":{"a":1}}',
    'no class' => '{"args":[1]}', 'a class that is no name' => '{"class":[1],"args":[]}', 'a newline' => "\n"
  }.freeze

  before { Resque::FairShare.configure { |config| config.max_in_flight = 1 } }

  def failures
    redis.lrange('resque:failed', 0, -1).map { |entry| JSON.parse(entry) }
  end

  def stands_in(where, entry)
    redis.rpush(where == :main ? 'resque:queue:fair' : 'resque:fair_share:fair:sub:a', entry)
  end

  # A worker that would be alive after all of it.
  def work_off(**options)
    worker = WorkerProcess.start('fair', interval: 0.02, **options)
    wait_until('the jobs behind it') { done.include?('a:9') && done.include?('b:9') }
    wait_until('an empty queue') { our_keys.empty? && redis.llen('resque:queue:fair').zero? }
    expect { Process.kill(0, worker.pid) }.not_to raise_error
    worker.quit
  end

  # Once in the failed list, if at all; what is no payload at all may be left out, as stock does it with null.
  def expect_handled(name)
    expect(failures.size).to be <= 1
    expect(failures.size).to eq(1) unless ['null', 'invalid UTF-8'].include?(name)
    expect(done.size).to eq(4 + (name == 'invalid UTF-8' && failures.empty? ? 1 : 0))
    expect_drained
  end

  %i[main sub].each do |where|
    context "in #{where == :main ? 'the main list' : 'the list of a partition'}" do
      POISON.each do |name, entry|
        it "that is #{name} is handled once, frees its slot, and holds nobody up" do
          %w[a b].each { |account| enqueue(account, 1, n: 0) }
          stands_in(where, entry)
          %w[a b].each { |account| enqueue(account, 1, n: 9) }
          work_off
          expect_handled(name)
        end
      end

      it 'among many does not end a worker that works without a fork' do
        POISON.each_value do |entry|
          enqueue('a', 1, n: 0)
          stands_in(where, entry)
        end
        %w[a b].each { |account| enqueue(account, 1, n: 9) }
        work_off(fork_per_job: false)
        expect(done.grep(/:/).tally).to include('a:0' => POISON.size, 'a:9' => 1, 'b:9' => 1)
        expect(failures.size).to be_between(POISON.size - 2, POISON.size)
        expect_drained
      end
    end
  end

  it 'shows in the failed list what it was' do
    enqueue('a', 1)
    stands_in(:main, 'not json')
    WorkerProcess.drain('fair')
    expect(failures.first).to include('queue' => 'fair', 'exception' => 'Resque::FairShare::MalformedPayload')
    expect(failures.first.to_s).to include('not json')
    expect(Resque::Failure.all(0, 1)).to include('error' => /not json/)
  end

  it 'costs a caller of Resque.pop no slot' do
    POISON.each_value { |entry| stands_in(:main, entry) }
    enqueue('a', 2)
    seen = []
    60.times do
      seen << Resque.pop('fair')
    rescue Resque::Helpers::DecodeException => e
      seen << e
    end
    alive = leases.values.grep_v(/Jobs::|"args"|\{/)
    expect([in_flight('a'), alive]).to eq([1, []])
  end

  it 'is shown by none of the readers as a job, and breaks none that stock would not' do
    enqueue('a', 2)
    stands_in(:main, 'not json')
    expect([Resque.size('fair'), Resque.queue_sizes]).to eq([3, { 'fair' => 3 }])
    expect(Resque.peek('fair')['args'][0]['account_id']).to eq('a')
    expect(Resque::FairShare.queue('fair').stats).to include(pending: 2)
    expect(Resque.remove_queue('fair')).to be_truthy
    expect_drained
  end

  # On a queue that no fair job entered all is as in stock, which ends its worker by what can't be decoded.
  it 'is stock\'s own on a queue without fair jobs' do
    stands_in(:main, 'not json')
    expect { reserve }.to raise_error(Resque::Helpers::DecodeException)
    %w[null 1 {}].each { |entry| stands_in(:main, entry) }
    expect([reserve, reserve&.payload, reserve&.payload]).to eq([nil, 1, {}])
    expect(our_keys).to eq([])
  end
end
