# frozen_string_literal: true

require_relative '../row'

module Bench
  module Rows
    # Reserve and release by hand, at many sizes that are all in Redis at once, each in a queue of its own.
    class Scale < Row
      row 'scale'
      TENANTS = [10, 100, 1000, 10_000, 100_000].freeze
      DEPTHS = [1000, 10_000, 100_000, 1_000_000].freeze
      # Plain Resque and 0.1.0 stop at so many jobs: filling their queues takes seconds up to here, and the direction of
      # their lines is visible.
      MOST_OF_OTHERS = 100_000
      TURNS = 200

      # Memory of a waiting job in Redis, with what the allocator leaves unused.
      BYTES_PER_JOB = 200

      # A size: how many tenants have how many jobs. `varied` is the number that differs within the series.
      State = Struct.new(:queue, :tenants, :jobs, :label, :varied) do
        # @return [Array<Symbol>]
        def contenders
          jobs > MOST_OF_OTHERS ? %i[ours] : ALL
        end
      end

      def call
        ALL.each { |name| arena[name] } # a contender that starts deletes all keys
        server.clear
        queues.each { |state, name| fill(state, name) }
        results(measure)
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
                    "reserve and release, #{thousands(tenants)} tenants", { tenants: tenants })
        end
      end

      def by_depth
        sizes = DEPTHS.select { |jobs| jobs <= settings.scaled(1_000_000, 1000) }
        sizes += [10_000_000] if settings.full
        # A size beyond the memory limit is cut to it.
        sizes = sizes.map { |jobs| [jobs, fitting].min }.uniq
        sizes.map do |jobs|
          State.new("jobs_#{jobs}", 100, jobs, "reserve and release, #{thousands(jobs)} jobs of 100 tenants",
                    { jobs: jobs })
        end
      end

      # @return [Integer] jobs that fit into half of the free memory
      def fitting
        Integer(File.read('/proc/meminfo')[/^MemAvailable:\s+(\d+) kB/, 1]) * 1024 / 2 / BYTES_PER_JOB
      rescue SystemCallError, TypeError
        DEPTHS.last
      end

      # Each contender has queues of its own.
      # @return [Array<Array(State, Symbol)>]
      def queues
        @queues ||= states.flat_map { |state| state.contenders.map { |name| [state, name] } }
      end

      # @return [Hash{State => Hash{Symbol => Array<Float>}}] microseconds of each round, by contender
      def measure
        rounds = Array.new(settings.rounds + 1) { |number| round(number) }
        rounds.shift # the first turn of a queue costs more
        states.to_h do |state|
          [state, state.contenders.to_h { |name| [name, rounds.map { |all| all[[state, name]] }] }]
        end
      end

      def round(number)
        (number.odd? ? queues.reverse : queues).to_h { |state, name| [[state, name], turn(state, name)] }
      end

      def results(numbers)
        numbers.map { |state, series| Result.new("scale #{state.queue}", state.label, 'µs', series, state.varied) } +
          [spread(numbers.transform_values { |series| series[:ours] })]
      end

      def fill(state, name, jobs = state.jobs)
        arena[name].call(:load, count: jobs, tenants: state.tenants, queue: "#{name}_#{state.queue}")
      end

      # Afterwards the queue is as deep as before.
      def turn(state, name)
        turns = [TURNS, settings.jobs / 40].min
        arena[name].call(:turn, count: turns, queue: "#{name}_#{state.queue}").seconds / turns * 1e6
      ensure
        fill(state, name, turns)
      end

      def spread(numbers)
        medians = numbers.transform_values { |all| Support::Series.new(all).median }
        cheapest, dearest = medians.minmax_by(&:last).map(&:first)
        ratios = numbers[dearest].zip(numbers[cheapest]).map { |most, least| most / least }
        Result.new('scale', "dearest (#{dearest.queue}) ÷ cheapest (#{cheapest.queue})", '×', { ours: ratios })
      end
    end
  end
end
