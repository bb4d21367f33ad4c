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

    # Each reserves a tenth of a load, as far as the caps allow.
    class Reserve < Row
      row 'reserve'

      def call
        [1, 10, 100, 1000].map { |tenants| reserve(tenants) }
      end

      private

      # More rounds where there is a goal.
      def reserve(tenants)
        label = "reserve, #{jobs} jobs of #{thousands(tenants)} tenant#{'s' if tenants > 1}"
        rounds = tenants < 100 ? settings.few(3) : settings.rounds
        count = within_caps(settings.jobs / 10, tenants)
        timed("reserve #{tenants}", label, count, rounds: rounds) do |one|
          one.call(:load, count: settings.jobs, tenants: tenants)
          one.call(:reserve, count: count)
        end
      end

      def jobs
        thousands(settings.jobs)
      end
    end

    class Skewed < Row
      row 'skewed'

      def call
        # With 99 % of the jobs in one tenant, its cap and the others' few jobs allow no more reserves.
        [80, 90, 99].map { |percent| reserve(percent, within_caps(settings.jobs / (percent == 99 ? 100 : 10), 99)) }
      end

      private

      def reserve(percent, count)
        label = "reserve, 100 tenants, one of them with #{percent} % of the jobs"
        timed("skewed #{percent}", label, count, rounds: settings.few(3)) do |one|
          one.call(:load, count: settings.jobs, tenants: 100, skew: percent / 100.0)
          one.call(:reserve, count: count)
        end
      end
    end

    # 80 of 100 tenants are at their cap.
    class Saturated < Row
      row 'saturated'

      def call
        count = within_caps(settings.jobs / 10, 20)
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
      QUEUES = 20

      def call
        [all_capped(settings.scaled(1000)), polled(settings.scaled(200))]
      end

      private

      def all_capped(count)
        timed('empty', 'a look that finds nothing: all are capped (plain: empty)', count) do |one|
          one.call(:cap, tenants: 100)
          one.call(:load, count: 1000, tenants: 100) unless one.name == :plain
          one.call(:empty, count: count)
        end
      end

      def polled(count)
        timed('empty 20 queues', "a worker's look at #{QUEUES} empty queues", count) do |one|
          one.call(:poll, count: count, queues: QUEUES)
        end
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
