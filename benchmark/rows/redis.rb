# frozen_string_literal: true

require_relative '../proxy'
require_relative '../row'

module Bench
  module Rows
    # Round trips, counted by a proxy between the contender and Redis.
    class Trips < Row
      row 'trips'
      JOBS = 20
      LABELS = { enqueue: 'round trips of an enqueue',
                 worker: 'round trips of a job in a worker that forks' }.freeze

      def call
        proxy = Proxy.new(server)
        trips = ALL.to_h { |name| [name, of(Contender.new(name, server, url: proxy.url), proxy)] }
        LABELS.each_with_index.map do |(name, label), index|
          Result.new("trips #{name}", label, 'round trips', trips.transform_values { |pair| [pair[index]] })
        end
      ensure
        proxy&.stop
      end

      private

      # Twice as many jobs take out what a worker asks once, as it starts and ends. What a process asks once, the first
      # two jobs take out.
      def of(contender, proxy)
        server.clear
        enqueue_and_work(contender, proxy, 2)
        few, many = [JOBS, JOBS * 2].map { |jobs| enqueue_and_work(contender, proxy, jobs) }
        many.zip(few).map { |more, less| (more - less).fdiv(JOBS).round(2) }
      ensure
        contender.stop
      end

      def enqueue_and_work(contender, proxy, jobs)
        [proxy.count { contender.call(:enqueue, count: jobs, tenants: 3) },
         proxy.count { contender.call(:drain, workers: 1) }]
      end
    end

    # Time inside Redis, by INFO commandstats.
    class RedisTime < Row
      row 'redis_us'
      TENANTS = [10, 100, 1000, 10_000].freeze

      def call
        TENANTS.map { |tenants| reserve(tenants) }
      end

      private

      def reserve(tenants)
        count = within_caps(settings.scaled(300), tenants)
        measured = arena.rounds(settings.few(5), ALL) do |one|
          one.call(:load, count: [settings.jobs, tenants].max, tenants: tenants)
          one.call(:reserve, count: count)
        end
        times = measured.transform_values { |all| all.map { |one| script_time(one) / count } }
        Result.new("redis_us #{tenants}", "time in Redis of a reserve, #{thousands(tenants)} tenants", 'µs', times)
      end

      # A script's time includes the commands inside it. Plain Resque runs no script, only LPOP.
      def script_time(measured)
        scripts = measured.commands.slice('evalsha', 'eval', 'fcall')
        rows = scripts.any? ? scripts : measured.commands.slice('lpop')
        rows.values.sum { |row| row['usec'].to_f }
      end
    end
  end
end
