# frozen_string_literal: true

require_relative '../row'

module Bench
  module Rows
    # Chains of five steps, by a worker that doesn't fork. Plain Resque has no chains: each job enqueues the next.
    class Chain < Row
      row 'chain'
      CHAINS = 200
      CONTENDERS = %i[old_chain ours].freeze

      def call
        measured = arena.rounds(settings.few(5), [:plain, *CONTENDERS]) do |one|
          one.call(:chains, count: settings.scaled(CHAINS, 5))
          one.call(:transitions)
        end
        label = 'chain transitions (plain: each job enqueues the next)'
        [Result.new('chain', label, 'transitions/s', chain_series(rates(measured))),
         latency(measured, 'p50', 0.5), latency(measured, 'p99', 0.99)]
      end

      private

      def rates(measured)
        measured.transform_values { |all| all.map { |one| one.result['steps'] / one.seconds } }
      end

      def latency(measured, word, share)
        numbers = measured.slice(*CONTENDERS).transform_values do |all|
          all.map { |one| Support::Series.new(one.result['latencies']).quantile(share) * 1e6 }
        end
        Result.new("chain #{word}", "end of a step to the next job in its queue, #{word}", 'µs', chain_series(numbers))
      end
    end

    # Memory of the chains' keys and of the indexes over them, by MEMORY USAGE.
    class ChainMemory < Row
      row 'chain_memory'

      def call
        both = arena.rounds(settings.few(3), Chain::CONTENDERS) { |one| measure(one, settings.scaled(200)) }
        %w[running finished].each_with_index.map do |word, index|
          line(word, both.transform_values { |all| all.map { |pair| pair[index] } })
        end
      end

      private

      # @return [Array(Float, Float)] bytes of a running chain, and of a finished one
      def measure(contender, count)
        contender.call(:chains, count: count)
        running = bytes
        contender.call(:transitions)
        [running, bytes].map { |all| all.fdiv(count) }
      end

      def line(word, numbers)
        Result.new("chain_memory #{word}", "a #{word} chain of 5 steps", 'bytes', chain_series(numbers))
      end

      def bytes
        server.memory_of('resque:job_chain:*')
      end
    end

    # 0.1.0 has no listing.
    class ChainList < Row
      row 'chain_list'

      def call
        server.clear
        [0, *sizes].each_cons(2).flat_map do |made, size|
          arena[:ours].call(:chains, count: size - made, from: made)
          lines(size)
        end
      ensure
        server.clear
      end

      private

      def sizes
        [settings.scaled(1000), settings.scaled(10_000), *(1_000_000 if settings.full)].uniq
      end

      def lines(size)
        [line(size, 'a page of 50', :chain_page, 50), line(size, 'counts by status', :chain_counts, 200)]
      end

      def line(size, label, operation, count)
        numbers = Array.new(settings.few(5)) do
          arena[:ours].call(operation, count: count).seconds / count * 1e6
        end
        Result.new("chain_list #{label} #{size}", "#{label} of #{thousands(size)} chains", 'µs', { ours: numbers })
      end
    end
  end
end
