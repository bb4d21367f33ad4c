# frozen_string_literal: true

require_relative '../row'

# Rows of job chains of five steps.
module Bench
  CHAINS = %i[old_chain ours].freeze
  LISTINGS = [['a page of 50', :chain_page, 50], ['counts by status', :chain_counts, 200]].freeze

  # A worker that does not fork. Plain Resque has no chains: each job enqueues the next.
  Row.row 'chain' do
    measured = arena.rounds(settings.few(5), [:plain, *CHAINS]) do |one|
      one.call(:chains, count: settings.scaled(200, 5))
      one.call(:transitions)
    end
    rates = measured.transform_values { |all| all.map { |one| one.result['steps'] / one.seconds } }
    latencies = measured.slice(*CHAINS).transform_values do |all|
      all.map { |one| Support::Series.new(one.result['latencies']) }
    end
    [Result.new('chain', 'chain transitions (plain: each job enqueues the next)', 'transitions/s', chain_series(rates)),
     *{ 'p50' => 0.5, 'p99' => 0.99 }.map do |word, share|
       numbers = latencies.transform_values { |all| all.map { |series| series.quantile(share) * 1e6 } }
       Result.new("chain #{word}", "end of a step to the next job in its queue, #{word}", 'µs', chain_series(numbers))
     end]
  end

  # Memory of the chains' keys and of the indexes over them, by MEMORY USAGE.
  Row.row 'chain_memory' do
    count = settings.scaled(200)
    measured = arena.rounds(settings.few(3), CHAINS) do |one|
      %w[chains transitions].zip([{ count: count }, {}]).map do |operation, arguments|
        one.call(operation, **arguments)
        server.memory_of('resque:job_chain:*').fdiv(count)
      end
    end
    %w[running finished].each_with_index.map do |word, index|
      numbers = measured.transform_values { |all| all.map { |pair| pair[index] } }
      Result.new("chain_memory #{word}", "a #{word} chain of 5 steps", 'bytes', chain_series(numbers))
    end
  end

  # 0.1.0 has no listing.
  Row.row 'chain_list' do
    server.clear
    sizes = [settings.scaled(1000), settings.scaled(10_000), *(1_000_000 if settings.full)].uniq
    [0, *sizes].each_cons(2).flat_map do |made, size|
      arena[:ours].call(:chains, count: size - made, from: made)
      LISTINGS.map do |label, operation, count|
        numbers = Array.new(settings.few(5)) { arena[:ours].call(operation, count: count).seconds / count * 1e6 }
        Result.new("chain_list #{label} #{size}", "#{label} of #{thousands(size)} chains", 'µs', { ours: numbers })
      end
    end
  ensure
    server.clear
  end
end
