# frozen_string_literal: true

# However many chains there are, a call costs what it costs with few of them.
RSpec.describe 'Many chains' do
  let(:script) do
    <<~LUA
      for n = ARGV[1], ARGV[2] do
        local id = 'old' .. n
        local status = n % 2 == 0 and 'running' or 'completed'
        redis.call('HSET', 'resque:job_chain:' .. id .. ':state', 'status', status, 'run', 'r', 'current_step', 0,
          'total_steps', 1, 'started_at', '2026-01-01T00:00:00Z', 'updated_at', '2026-01-01T00:00:00Z')
        redis.call('ZADD', 'resque:job_chain:' .. status, n, id)
        if status == 'completed' then redis.call('ZADD', 'resque:job_chain:expiring', 1e15, id) end
      end
    LUA
  end

  def fill(from, to)
    (from...to).step(1000) { |first| redis.eval(script, argv: [first, first + 999]) }
  end

  # The server's time for a call: microseconds, the least of several calls.
  def cost(count = 15)
    Array.new(count) do |n|
      redis.config(:resetstat)
      yield n
      redis.info(:commandstats).values_at('evalsha', 'eval').compact.sum { |stats| stats['usec'].to_i }
    end.min
  end

  # @param round [String] for ids
  def costs(round)
    chains = Resque::JobChain
    {
      start: cost { |n| start_chain("#{round}-#{n}", {}, {}) }, advance: cost { take.perform },
      pause: cost { |n| chains.pause("#{round}-#{n}") }, resume: cost { |n| chains.resume("#{round}-#{n}") },
      cancel: cost { |n| chains.cancel("#{round}-#{n}") }, delete: cost { |n| chains.delete("#{round}-#{n}") },
      newest: cost { chains.chains(limit: 20) }, count: cost { chains.counts },
      far: cost { chains.chains(status: :completed, limit: 20, offset: 400) }
    }
  end

  it 'cost no call more than a few' do
    fill(0, 1000)
    few = costs('few')
    fill(1000, 200_000)
    many = costs('many')
    few.each { |name, microseconds| expect([name, many[name]]).to match([name, be < (microseconds * 3) + 300]) }
    expect(Resque::JobChain.counts).to include('running' => 100_000, 'completed' => 100_000)
    expect(Resque::JobChain.chains(status: :running, limit: 1).first['id']).to eq('old199998')
  end
end
