# frozen_string_literal: true

# A queue's name, or a partition's id, that is no text in UTF-8.
RSpec.describe 'A name that is not valid UTF-8' do
  names = ["caf\xE9", "caf\xC3\xA9".b].freeze # rubocop:disable RSpec/LeakyLocalVariable -- used in others

  let(:log) { StringIO.new }

  before { Resque::FairShare.configure { |config| config.logger = Logger.new(log) } }

  it 'of a queue raises ArgumentError, and shows it' do
    names.each do |name|
      [-> { Resque::FairShare.queue(name) }, -> { Resque.enqueue_to(name, Jobs::Fair, account_id: 'a') },
       -> { Resque::FairShare.enqueue_all(Jobs::Fair, [[{ account_id: 'a' }]], queue: name) },
       -> { Resque::FairShare::Migration.perform(name) }, -> { Resque::FairShare::Migration.rollback(name) },
       -> { Resque::FairShare.configure { |config| config.queue(name, weight: 1) } }].each do |call|
        expect(&call).to raise_error(ArgumentError, /a queue is "caf\\x.*not valid UTF-8/)
      end
    end
  end

  it 'of a partition raises ArgumentError, and shows it' do
    queue = Resque::FairShare.queue('fair')
    names.each do |id|
      expect { queue.partition(id) }.to raise_error(ArgumentError, /a partition is "caf\\x.*not valid UTF-8/)
      Jobs::Odd.rule = ->(_) { id }
      expect { Resque.enqueue(Jobs::Odd, {}) }.to raise_error(ArgumentError, /Jobs::Odd.*caf\\x.*not valid UTF-8/)
    end
  ensure
    Jobs::Odd.rule = nil
  end

  it 'is another encoding of the same name where it can be written in UTF-8' do
    latin = 'café'.encode(Encoding::ISO_8859_1)
    Resque.enqueue(Jobs::Fair, account_id: 'café')
    expect(Resque::FairShare.queue('fair').partition(latin).pending).to eq(1)
    Resque.enqueue_to('café', Jobs::Fair, account_id: 'a')
    expect(Resque::FairShare.queue(latin).stats[:pending]).to eq(1)
  end

  it 'keeps no worker of all queues from the others, and is told once' do
    redis.sadd('resque:queues', names.first)
    redis.rpush("resque:queue:#{names.first}", Resque.encode(class: 'Jobs::Plain', args: [1]))
    enqueue('a', 2)
    worker = WorkerProcess.start('*', fork_per_job: false)
    wait_until { done.size == 2 }
    expect(worker).not_to be_ended
    worker.quit
    3.times { expect(Resque::Worker.new('*').reserve).to be_nil }
    expect(log.string.lines.grep(/"caf\\xE9" is skipped/).size).to eq(1)
    expect(Resque::FairShare.queues).to eq([])
  end

  it 'does not keep a queue from being removed' do
    redis.sadd('resque:queues', names.first)
    redis.rpush("resque:queue:#{names.first}", 'x')
    Resque.remove_queue(Resque.queues.first)
    expect([Resque.queues, redis.keys('resque:queue:*')]).to eq([[], []])
  end
end
