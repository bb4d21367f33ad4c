# frozen_string_literal: true

require_relative '../memory_limit'
require_relative '../row'

module Bench
  module Rows
    # Reserve and release by hand, at many sizes that are all in Redis at once, each in a queue of its own.
    class Scale < Row
      row 'scale'
      TENANTS = [10, 100, 1000, 10_000, 100_000].freeze
      DEPTHS = [1000, 10_000, 100_000, 1_000_000].freeze
      TURNS = 200

      # A size: how many tenants have how many jobs.
      State = Struct.new(:queue, :tenants, :jobs, :label)

      def call
        server.clear
        states.each { |state| fill(state) }
        numbers = measure
        numbers.map { |state, all| Result.new("scale #{state.queue}", state.label, 'µs', { ours: all }) } +
          [spread(numbers)]
      ensure
        server.clear
      end

      private

      def states
        @states ||= by_tenants + by_depth
      end

      def by_tenants
        sizes = TENANTS.select { |tenants| tenants <= settings.scaled(100_000, 10) }
        sizes += [1_000_000] if settings.full
        sizes.map do |tenants|
          State.new("tenants_#{tenants}", tenants, [tenants, settings.jobs].max,
                    "reserve and release, #{thousands(tenants)} tenants")
        end
      end

      def by_depth
        sizes = DEPTHS.select { |jobs| jobs <= settings.scaled(1_000_000, 1000) }
        sizes += [10_000_000] if settings.full
        # What lies in the way of the limit is not measured.
        sizes = sizes.map { |jobs| [jobs, MemoryLimit.jobs].min }.uniq
        sizes.map do |jobs|
          State.new("jobs_#{jobs}", 100, jobs, "reserve and release, #{thousands(jobs)} jobs of 100 tenants")
        end
      end

      def measure
        gathered = states.to_h { |state| [state, []] }
        (settings.rounds + 1).times do |round|
          (round.odd? ? states.reverse : states).each { |state| gathered[state] << turn(state) }
        end
        gathered.transform_values { |all| all.drop(1) } # the first look at a queue is another
      end

      def fill(state, jobs = state.jobs)
        arena[:ours].call(:load, count: jobs, tenants: state.tenants, queue: state.queue)
      end

      # The queue is as deep afterwards as before.
      def turn(state)
        turns = [TURNS, settings.jobs / 40].min
        arena[:ours].call(:turn, count: turns, queue: state.queue).seconds / turns * 1e6
      ensure
        fill(state, turns)
      end

      def spread(numbers)
        medians = numbers.transform_values { |all| Series.new(all).median }
        cheapest, dearest = medians.minmax_by(&:last).map(&:first)
        ratios = numbers[dearest].zip(numbers[cheapest]).map { |most, least| most / least }
        Result.new('scale', "dearest (#{dearest.queue}) ÷ cheapest (#{cheapest.queue})", '×', { ours: ratios })
      end
    end
  end
end
