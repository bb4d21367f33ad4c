# frozen_string_literal: true

require 'support/application'

# A shop moves from resque-job-chain 0.1.0 by one line of its Gemfile. Its chains are written, and run half way, by the
# real 0.1.0 in processes of its own; then the same application goes on with our gem.
RSpec.describe 'The upgrade from resque-job-chain 0.1.0' do
  around { |example| Application.with(:old_chains) { |app| (@app = app) && example.run } }

  attr_reader :app

  before { Resque::JobChain.reset_configuration! }

  # As many jobs as that, by a worker of the application.
  def work(jobs)
    app.run(<<~RUBY)
      worker = Resque::Worker.new('links').tap { |it| it.fork_per_job = false }
      #{jobs}.times { worker.work_one_job }
    RUBY
  end

  def start(id, steps: 4, context: {}, **options)
    app.run(<<~RUBY)
      print Resque::JobChain.build(#{id.inspect}) { |chain|
        chain.context(**#{context.inspect})
        #{steps}.times { |n| chain.step Link, notes: #{context.any?}, **#{options.inspect} }
      }.start!
    RUBY
  end

  def upgrade
    app.use(:ours)
  end

  # An operator's verb in the application's console, where the step's class is known.
  def control(verb, *arguments)
    app.run("print Resque::JobChain.#{verb}(#{arguments.map(&:inspect).join(', ').delete('{}')}).inspect")
  end

  def state(id)
    redis.hgetall("resque:job_chain:#{id}:state")
  end

  def type_of_context(id)
    redis.type("resque:job_chain:#{id}:context")
  end

  def expect_completed(id, steps)
    expect(state(id)['status']).to eq('completed')
    expect(state(id).values_at(*(0...steps).map { |step| "step_status:#{step}" })).to eq(['completed'] * steps)
    %w[state steps context].each do |word|
      expect(redis.ttl("resque:job_chain:#{id}:#{word}")).to be_between(86_000, 86_400).or eq(-2)
    end
    expect(Resque::JobChain.active_chains).not_to include(id)
    expect(redis.sismember('resque:job_chain:active', id)).to be(false)
    expect(redis.llen('resque:queue:links')).to eq(0)
  end

  it 'runs on the real 0.1.0, and then on this gem' do
    versions = [app.run('print Resque::JobChain::VERSION')]
    upgrade
    versions << app.run('print Resque::JobChain::VERSION')
    expect(versions).to eq(['0.1.0', Resque::JobChain::VERSION])
  end

  it 'finishes a chain that stopped half way, each step once' do
    expect(start('half')).to eq('true')
    work(2)
    expect(state('half').values_at('status', 'current_step', 'run')).to eq(['running', '2', nil])
    upgrade
    app.run("work('links')")
    expect(done.map { |text| text[0].to_i }).to eq([0, 1, 2, 3])
    expect_completed('half', 4)
  end

  it 'keeps every value of the context, and its type, when the STRING becomes a HASH' do
    context = { list: [], hash: {}, big: 10**30, text: 'Ünï 😀', from: nil }
    start('values', steps: 3, context: context)
    work(1)
    expect(type_of_context('values')).to eq('string')
    upgrade
    expected = context.transform_keys(&:to_s).merge('step0' => [0])
    expect(Resque::JobChain.context('values')).to eq(expected)
    expect(type_of_context('values')).to eq('string') # whoever only looks changes nothing
    app.run("work('links')")
    expect(type_of_context('values')).to eq('hash')
    expect(Resque::JobChain.context('values')).to eq(expected.merge('step1' => [1], 'step2' => [2]))
    expect(JSON.parse(done.last.split(':', 2).last)).to eq(expected.merge('step1' => [1]))
    expect_completed('values', 3)
  end

  it 'becomes a HASH by an update from outside, too' do
    start('updated', context: { list: [], big: 10**30 })
    upgrade
    Resque::JobChain.update_context('updated', hash: {})
    expect(redis.hgetall('resque:job_chain:updated:context'))
      .to eq('list' => '[]', 'big' => (10**30).to_s, 'hash' => '{}')
  end

  it 'goes on counting the attempts of a step that 0.1.0 retried' do
    start('retrying', steps: 2, on_failure: :retry, max_attempts: 3)
    redis.set('resque:spec:failing', '0')
    work(1)
    expect(state('retrying').values_at('attempts:0', 'status')).to eq(%w[1 running])
    expect(redis.llen('resque:queue:links')).to eq(1)
    upgrade
    app.run("work('links')")
    expect(state('retrying').values_at('attempts:0', 'status', 'error_message')).to eq(['3', 'failed', 'told to fail'])
    expect(done.size).to eq(3)

    redis.del('resque:spec:failing')
    expect(control(:retry_failed, 'retrying')).to eq('true')
    app.run("work('links')")
    expect_completed('retrying', 2)
  end

  it 'shows the chains of 0.1.0 as it showed them, those that run, and counts them' do
    start('one')
    start('two')
    upgrade
    expect(Resque::JobChain.active_chains).to contain_exactly('one', 'two')
    expect(Resque::JobChain.status('one')).to include('status' => 'running', 'total_steps' => '4')
    expect(Resque::JobChain.counts['running']).to eq(2)
    expect(Resque::JobChain.chains.map { |chain| chain['id'] }).to contain_exactly('one', 'two')
    expect(Resque::JobChain.chains(status: :running, limit: 1).size).to eq(1)
    expect(Resque::JobChain.counts['running']).to eq(2)
    expect(Resque::JobChain.active_chains).to contain_exactly('one', 'two')
  end

  it 'can be paused, resumed, cancelled and deleted' do
    start('controlled')
    upgrade
    expect(control(:pause, 'controlled')).to eq('true')
    app.run("work('links')")
    expect(done.size).to eq(1)
    expect(control(:resume, 'controlled')).to eq('true')
    expect(control(:cancel, 'controlled')).to eq('true')
    app.run("work('links')")
    expect(done.size).to eq(1)
    expect(control(:delete, 'controlled')).to eq('true')
    expect(redis.keys('resque:job_chain:*')).to eq([])
  end

  it 'is recovered when its job was lost by a worker of 0.1.0' do
    start('lost', steps: 2)
    redis.del('resque:queue:links')
    upgrade
    expect(control(:recover, { older_than: 0 })).to eq('["lost"]')
    app.run("work('links')")
    expect_completed('lost', 2)
  end

  it 'leaves finished chains as they are: looked at, retried, deleted' do
    start('finished', steps: 1)
    start('failed', steps: 1)
    work(1)
    redis.set('resque:spec:failing', '0')
    work(1)
    upgrade
    expect(%w[finished failed].map { |id| Resque::JobChain.status(id)['status'] }).to eq(%w[completed failed])
    expect(Resque::JobChain.active_chains).to eq([])

    redis.del('resque:spec:failing')
    expect(control(:retry_failed, 'failed')).to eq('true')
    app.run("work('links')")
    expect_completed('failed', 1)
    expect(control(:delete, 'finished')).to eq('true')
    expect(redis.keys('resque:job_chain:finished:*')).to eq([])
  end
end
