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

      # The difference between two runs, one with twice as many jobs, leaves out the commands that a worker sends once,
      # as it starts and ends. The first two jobs leave out those that a process sends once.
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
  end

  # Time inside Redis, by INFO commandstats. A script's time includes the commands inside it; plain Resque runs no
  # script, only LPOP.
  Row.row 'redis_us' do
    [10, 100, 1000, 10_000].map do |tenants|
      count = within_caps(settings.scaled(300), tenants)
      measured = arena.rounds(settings.few(5), Row::ALL) do |one|
        one.call(:load, count: [settings.jobs, tenants].max, tenants: tenants)
        one.call(:reserve, count: count)
      end
      times = measured.to_h do |name, all|
        commands = name == :plain ? %w[lpop] : %w[evalsha eval fcall]
        [name, all.map { |one| one.commands.slice(*commands).values.sum { |row| row['usec'].to_f } / count }]
      end
      Result.new("redis_us #{tenants}", "time in Redis of a reserve, #{thousands(tenants)} tenants", 'µs', times)
    end
  end
end
