# frozen_string_literal: true

# A process that lacks a job's class can't tell the job's tenant.
RSpec.describe 'A job whose class this process does not have' do
  let(:log) { StringIO.new }

  before do
    Resque::FairShare.configure do |config|
      config.max_in_flight = 1
      config.logger = Logger.new(log)
    end
    stub_const('Jobs::Elsewhere', Class.new(Jobs::Fair)) # for the workers of this spec
    enqueue('a', 1)
  end

  # As a web process does that has other job classes.
  def without_class
    elsewhere = Jobs.send(:remove_const, :Elsewhere) # rubocop:disable RSpec/RemoveConst -- and put back
    yield
  ensure
    Jobs.const_set(:Elsewhere, elsewhere)
  end

  def push(count, from = 1)
    count.times { |n| Resque.push('fair', class: 'Jobs::Elsewhere', args: [{ account_id: 'a', n: n + from }]) }
  end

  it 'waits in the main list, and runs under its tenant\'s cap in a worker that has the class' do
    without_class { push(2) }
    expect([redis.lrange('resque:queue:fair', 0, -1).last(2).map { |text| text[0, 8] }, Resque.size('fair')])
      .to eq([['{"class"'] * 2, 3])
    first = reserve
    expect([account_of(first), reserve, waiting('a'), in_flight('a')]).to eq(['a', nil, 2, 1])
    first.perform
    2.times { reserve.perform }
    expect(done).to eq(%w[a:0 a:1 a:2])
    expect_drained
  end

  it 'is retried from the failed list into its partition' do
    reserve.perform
    push(1)
    reserve.fail(RuntimeError.new('first'))
    enqueue('a', 1, n: 9)
    without_class { Resque::Failure.requeue(0) }
    first = reserve
    expect([reserve, first.args.first['n']]).to eq([nil, 9])
    first.perform
    reserve.perform
    expect(done).to eq(%w[a:0 a:9 a:1])
    expect_drained
  end

  it 'is named in the log once' do
    without_class { push(3) }
    expect(log.string.lines.grep(/no class Jobs::Elsewhere/).size).to eq(1)
  end

  it 'takes its turn and fails, as in stock, in a worker that lacks the class too' do
    without_class do
      push(2)
      WorkerProcess.drain('fair')
    end
    expect(done).to eq(['a:0'])
    expect(failed.map(&:first)).to eq(%w[a:1 a:2])
    expect_drained
  end

  it 'is a plain job on a queue that is not fair' do
    without_class { Resque.push('plain', class: 'Jobs::Elsewhere', args: [1]) }
    expect([redis.llen('resque:queue:plain'), log.string]).to eq([1, ''])
  end
end
