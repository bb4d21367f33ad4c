# frozen_string_literal: true

require 'support/chain_walk'

# Random interleavings of all that can happen to a chain, against a model of it. CHAIN_SEED repeats a run,
# CHAIN_SEQUENCES makes it longer.
RSpec.describe 'A chain to which anything happens' do
  let(:sequences) { Integer(ENV.fetch('CHAIN_SEQUENCES', '200')) }
  let(:seed) { Integer(ENV.fetch('CHAIN_SEED', Random.new_seed % 1_000_000)) }

  def check(walk)
    model = walk.model
    observed = walk.observe
    expect(observed.queued).to match_array(model.queued.map(&:identity))
    expect(walk.completions).to eq(model.completions)
    expect(walk.completions.values.max.to_i).to be <= 1
    model.exists? ? check_chain(model, observed) : check_gone(observed)
  end

  def check_gone(observed)
    expect(observed).to have_attributes(state: {}, context: {}, times_to_live: [-2, -2, -2], indexes: [])
  end

  def check_chain(model, observed)
    expect(state(observed.state, model.steps.size)).to eq(state_of(model))
    expect(observed.context).to eq(model.context)
    expect(observed.indexes).to eq(model.finished? ? [model.status, 'expiring'] : [model.status])
    expect(observed.times_to_live).to all(model.finished? ? be_between(1, 86_400_000) : eq(-1))
  end

  def state(fields, steps)
    rows = Array.new(steps) do |index|
      status, token, attempts = %w[step_status token attempts].map { |word| fields["#{word}:#{index}"] }
      [status, (token || 1).to_i, attempts.to_i]
    end
    left = (fields['left'] || 1).to_i unless fields['status'] == 'completed'
    [*fields.values_at('status', 'current_step', 'total_steps'), left, fields.key?('error_message'), rows]
  end

  def state_of(model)
    rows = model.steps.map { |step| [step.status, step.token, step.attempts] }
    left = model.left unless model.status == 'completed'
    [model.status, model.first.to_s, rows.size.to_s, left, model.status == 'failed', rows]
  end

  it 'is what the model of it says after each of them' do
    seen = Hash.new(0)
    sequences.times do |number|
      Resque.redis.redis.flushdb
      walk = ChainWalk.new(Random.new(seed + number), redis)
      10.upto(40) do
        answer, expected = walk.step
        expect(answer).to eq(expected)
        check(walk)
        seen[walk.log.last.first(2)] += 1
      end
    rescue RSpec::Expectations::ExpectationNotMetError, StandardError => e
      raise e.class, "sequence #{number} of CHAIN_SEED=#{seed}: #{e.message}\n#{walk.log.map(&:inspect).join("\n")}"
    end
    RSpec.configuration.reporter.message("CHAIN_SEED=#{seed}: #{sequences} sequences, #{seen.values.sum} operations")
    expect(%w[advanced completed counted resumed stale].map { |word| seen.count { |(_, answer), _| answer == word } })
      .to all(be_positive)
  end
end
