# frozen_string_literal: true

require_relative '../../demo/record'
require_relative '../../demo/waits'
require_relative '../../demo/worker_time'
require_relative '../row'

module Bench
  module Rows
    # Jobs that sleep, by workers that do not fork. The plain queue is first in, first out.
    class Fairness < Row
      row 'fairness'
      WORKERS = 4
      MEASURES = { Jain: ["Jain's index of worker time", 'index'], p95: ["the light tenants' 95 % wait", 'ms'] }.freeze

      # `plan`: [tenant, jobs, ms] in the order of the enqueues; `light`: the tenants whose waits are measured.
      Load = Struct.new(:name, :plan, :light, :weights) do
        # Demo::WorkerTime calls this and weight_of.
        def names
          plan.map(&:first)
        end

        def weight_of(name)
          weights.fetch(name.to_sym, 1)
        end
      end

      SMALL = Array.new(200) { |n| "t#{n}" }.freeze
      LOADS = [
        Load.new('flood', [['whale', 400, 10], *SMALL.first(10).map { |id| [id, 10, 10] }], SMALL.first(10), {}),
        Load.new('slow tenants', [['slow1', 40, 60], ['slow2', 40, 60], *SMALL.first(5).map { |id| [id, 40, 6] }],
                 SMALL.first(5), {}),
        Load.new('weights 3:1', [['silver', 200, 10], ['gold', 200, 10]], ['gold'], { gold: 3 }),
        Load.new('many tenants', [['whale', 300, 8], *SMALL.map { |id| [id, 2, 8] }], SMALL, {})
      ].freeze

      def call
        LOADS.flat_map { |load| results(load, measure(load)) }
      end

      private

      def measure(load)
        plan = load.plan.map { |tenant, jobs, ms| [tenant, settings.scaled(jobs, 2), ms] }
        arena.rounds(settings.few(2), ALL) do |one|
          reading = one.call(:fairness, plan: plan, workers: WORKERS, weights: load.weights)
          outcome(load, records(load.name, plan.sum { |_, jobs, _| jobs }), reading.result)
        end
      end

      def results(load, measured)
        MEASURES.map do |key, (label, unit)|
          numbers = measured.transform_values { |all| all.map { |outcome| outcome[key] } }
          Result.new("fairness #{load.name} #{key}", "#{load.name}: #{label}", unit, numbers)
        end
      end

      # @return [Hash{Symbol => Float}]
      def outcome(load, records, last_enqueue)
        light = records.select { |record| load.light.include?(record.tenant) }
        { Jain: Demo::WorkerTime.new(records, load, last_enqueue).jain.to_f, p95: Demo::Waits.new(light).p95 * 1000 }
      end

      def records(name, expected)
        records = server.redis.lrange('resque:bench:done', 0, -1).map { |line| Demo::Record.parse(line) }
        return records if records.size == expected

        raise Support::Error, "#{records.size} of #{expected} jobs ran (#{name})"
      end
    end
  end
end
