# frozen_string_literal: true

# By hand, as 0.1.0's users might: a step is named by its index.
RSpec.describe Resque::JobChain::StepEnd do
  before { record_events }

  def step_end(index, id = 'c')
    described_class.new(id, index)
  end

  it 'answers after_step with the outcome' do
    start_chain('c', {}, {})
    expect(step_end(0).after_step).to eq('advanced')
    expect(step_end(0).after_step).to eq('stale')
    expect(step_end(1).after_step).to eq('completed')
    expect([step_end(1).after_step, step_end(0, 'none').after_step]).to eq(%w[stale stale])
    expect(status['status']).to eq('completed')
  end

  it 'answers on_failure with the outcome' do
    start_chain('a', { on_failure: :abort })
    start_chain('s', { on_failure: :skip }, {})
    start_chain('r', { on_failure: :retry, max_attempts: 3 })
    error = RuntimeError.new('by hand')
    expect([step_end(0, 'a').on_failure(error), step_end(0, 's').on_failure(error)]).to eq(%w[aborted skipped])
    expect(Array.new(4) { step_end(0, 'r').on_failure(error) }).to eq(%w[retrying:1 retrying:2 exhausted stale])
    expect([step_end(9, 's').on_failure(error), step_end(0, 'none').on_failure(error)]).to eq(%w[stale stale])
    expect(status('a')['error_message']).to eq('by hand')
  end

  it 'answers differently for a paused chain, or one whose next step can’t be started' do
    start_chain('c', {}, {})
    Resque::JobChain.pause('c')
    expect(step_end(0).after_step).to eq('counted')
    start_chain('b', {}) { |chain| chain.step(Jobs::StepWithHooks, veto: 1) }
    expect(step_end(0, 'b').after_step).to eq('broken')
  end

  it 'takes the index as text, and the id as a Symbol' do
    start_chain('c', {}, {})
    expect(described_class.new(:c, '0').after_step).to eq('advanced')
  end

  it 'is what the plugin’s hooks call when they are called by hand' do
    start_chain('c', {}, { on_failure: :skip })
    Jobs::Step.after_perform_job_chain('_chain_id' => 'c', '_step_index' => 0)
    Jobs::Step.on_failure_job_chain(RuntimeError.new('x'), '_chain_id' => 'c', '_step_index' => '1')
    Jobs::Step.after_perform_job_chain('no chain')
    expect([status['status'], step_statuses]).to eq(['completed', %w[completed skipped]])
    expect(events.map(&:first)).to eq(%w[chain_started step_completed step_skipped chain_completed])
  end

  it 'tries again after a broken connection, and the step counts once' do
    proxy = LossyProxy.new(URI(REDIS_URL).port)
    start_chain('c', {}, {})
    Resque.redis = proxy.url + URI(REDIS_URL).path
    ending = step_end(0)
    ending.send(:known)
    proxy.lose_next_reply
    expect(ending.after_step).to eq('advanced')
    expect([proxy.losing?, queued.size, events.count(['step_completed', 'c', 0])]).to eq([false, 2, 1])
  ensure
    proxy&.stop
  end
end
