# frozen_string_literal: true

# Entries that are no job, in the main list and in a partition's.
RSpec.describe 'A poison entry' do
  nested = 150.times.inject('1') { |inner, _| "[#{inner}]" }
  job = '{"class":"Jobs::Plain","args":'

  poison = { # rubocop:disable RSpec/LeakyLocalVariable -- names examples, and is used in others
    'not json' => 'not json', 'a number' => '1', 'a long number' => '123456789012345', 'a string' => '"str"',
    'null' => 'null', 'an empty object' => '{}', 'an empty array' => '[]', 'nothing' => '',
    'invalid UTF-8' => "#{job}[\"\xff\xfe\"]}",
    'invalid UTF-8, no json' => "\xff\xfe", 'nesting of 150' => "#{job}[#{nested}]}",
    'half a payload' => "#{job}[", 'arguments that are no Array' => "#{job}{\"a\":1}}",
    'no class' => '{"args":[1]}', 'a class that is no name' => '{"class":[1],"args":[]}', 'a newline' => "\n"
  }.freeze

  before { Resque::FairShare.configure { |config| config.max_in_flight = 1 } }

  # A second copy of what 0.1.0 wrote is reported, too.
  def failures
    redis.lrange('resque:failed', 0, -1).map { |entry| JSON.parse(entry) }
         .reject { |failure| failure['exception'] == 'Resque::FairShare::CopyGone' }
  end

  # A payload that looks like a job of 0.1.0 is in both lists, as 0.1.0 wrote it.
  def stands_in(where, entry)
    redis.rpush('resque:queue:fair', entry) if where == :main || entry.start_with?('{"class":')
    redis.rpush('resque:fair_share:fair:sub:a', entry) if where == :sub
  end

  def both(number)
    enqueue('a', 1, n: number)
    enqueue('b', 1, n: number)
  end

  # A worker that would be alive after all of it.
  def work_off(**options)
    worker = WorkerProcess.start('fair', interval: 0.02, **options)
    wait_until('the jobs behind it') { done.include?('a:9') && done.include?('b:9') }
    wait_until('an empty queue') { our_keys.empty? && redis.llen('resque:queue:fair').zero? }
    expect { Process.kill(0, worker.pid) }.not_to raise_error
    worker.quit
  end

  # Performed, as stock would, or in the failed list: once. A null is nothing, as in stock.
  def expect_handled(name)
    expect(done.tally).to include('a:0' => 1, 'a:9' => 1, 'b:0' => 1, 'b:9' => 1)
    handled = failures.size + done.size - 4
    expect(handled).to eq(1).or(eq(name == 'null' ? 0 : 1))
    expect_drained
  end

  %i[main sub].each do |where|
    describe "in #{where == :main ? 'the main list' : 'the list of a partition'}" do
      poison.each do |name, entry|
        it "that is #{name} is handled once, frees its slot, and holds nobody up" do
          both(0)
          stands_in(where, entry)
          both(9)
          work_off
          expect_handled(name)
        end
      end

      it 'among many does not end a worker that works without a fork' do
        poison.each_value do |entry|
          enqueue('a', 1, n: 0)
          stands_in(where, entry)
        end
        both(9)
        work_off(fork_per_job: false)
        expect(done.tally).to include('a:0' => poison.size, 'a:9' => 1, 'b:9' => 1)
        expect(failures.size + done.size - poison.size - 2).to be_between(poison.size - 1, poison.size)
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
    poison.each_value { |entry| stands_in(:main, entry) }
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
    expect(Array.new(3) { reserve&.payload }.compact).to eq([1, {}])
    expect(our_keys).to eq([])
  end
end
