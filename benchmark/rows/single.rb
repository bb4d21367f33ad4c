# frozen_string_literal: true

require_relative '../row'

module Bench
  module Rows
    class Enqueue < Row
      row 'enqueue'

      def call
        count = settings.scaled(1000)
        [timed('enqueue', 'enqueue, 100 tenants', count) { |one| one.call(:enqueue, count: count, tenants: 100) }]
      end
    end

    # Each takes a tenth of a load.
    class Reserve < Row
      row 'reserve'

      def call
        [100, 1000].map do |tenants|
          timed("reserve #{tenants}", "reserve, #{jobs} jobs of #{thousands(tenants)} tenants", count) do |one|
            one.call(:load, count: settings.jobs, tenants: tenants)
            one.call(:reserve, count: count)
          end
        end
      end

      private

      def jobs
        thousands(settings.jobs)
      end

      def count
        settings.jobs / 10
      end
    end

    class Skewed < Row
      row 'skewed'

      def call
        count = settings.jobs / 10
        label = 'reserve, 100 tenants, one of them with 80 % of the jobs'
        [timed('skewed', label, count) do |one|
          one.call(:load, count: settings.jobs, tenants: 100, skew: 0.8)
          one.call(:reserve, count: count)
        end]
      end
    end

    # 80 of 100 tenants have as many running jobs as they may.
    class Saturated < Row
      row 'saturated'

      def call
        count = settings.jobs / 10
        [timed('saturated', 'reserve, 80 of 100 tenants at their cap', count) do |one|
          one.call(:cap, tenants: 80)
          one.call(:load, count: settings.jobs, tenants: 100)
          one.call(:reserve, count: count)
        end]
      end
    end

    class Whole < Row
      row 'whole'

      def call
        count = settings.scaled(1000)
        label = 'whole job: enqueue, reserve, perform, done'
        [timed('whole', label, count) { |one| one.call(:whole, count: count, tenants: 100) }]
      end
    end

    # A job without partition, in a process that has the gem.
    class PlainQueue < Row
      row 'plain_queue'

      def call
        count = settings.scaled(1000)
        result = timed('plain_queue', 'a plain queue with the gem loaded: enqueue and reserve', count) do |one|
          one.call(:enqueue_plain_queue, count: count)
        end
        commands = result.details.transform_values { |costs| [costs[:commands]] }
        [result, Result.new('plain_queue commands', 'its commands in Redis, a job', 'commands', commands)]
      end
    end

    class Empty < Row
      row 'empty'

      def call
        count = settings.scaled(1000)
        label = 'a look that finds nothing: all are capped (plain: empty)'
        [timed('empty', label, count) do |one|
          one.call(:cap, tenants: 100)
          one.call(:load, count: 1000, tenants: 100) unless one.name == :plain
          one.call(:empty, count: count)
        end]
      end
    end

    class Bulk < Row
      row 'bulk'

      def call
        count = settings.scaled(5000)
        measured = arena.rounds(settings.rounds, ALL) { |one| one.call(:bulk, count: count, tenants: 100) }
        numbers = measured.transform_values { |all| all.map { |reading| count / reading.seconds } }
        [Result.new('bulk', 'enqueue_all (others: a loop of enqueue)', 'jobs/s', numbers, costs(measured, count))]
      end
    end
  end
end
