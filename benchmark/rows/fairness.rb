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
      MEASURES = [[:Jain, "Jain's index of worker time", 'index'],
                  [:p95, "the light tenants' 95 % wait", 'ms']].freeze

      # `plan`: [tenant, jobs, ms] in the order of the enqueues; `light`: the tenants whose waits are measured.
      Load = Struct.new(:name, :plan, :light, :weights, keyword_init: true) do
        # Demo::WorkerTime calls this and weight_of.
        def names
          plan.map(&:first)
        end

        def weight_of(name)
          weights.to_h.fetch(name.to_sym, 1)
        end
      end

      def call
        loads.flat_map { |load| results(load) }
      end

      private

      def loads
        [flood, slow, weights, many]
      end

      def flood
        small = small_tenants(10)
        Load.new(name: 'flood', plan: [['whale', jobs(400), 10], *small.map { |id| [id, jobs(10), 10] }], light: small)
      end

      def slow
        quick = small_tenants(5)
        heavy = %w[slow1 slow2]
        plan = heavy.map { |id| [id, jobs(40), 60] } + quick.map { |id| [id, jobs(40), 6] }
        Load.new(name: 'slow tenants', plan: plan, light: quick)
      end

      def weights
        Load.new(name: 'weights 3:1', plan: [['silver', jobs(200), 10], ['gold', jobs(200), 10]], light: ['gold'],
                 weights: { gold: 3 })
      end

      def many
        small = small_tenants(200)
        Load.new(name: 'many tenants', plan: [['whale', jobs(300), 8], *small.map { |id| [id, 2, 8] }], light: small)
      end

      def small_tenants(number)
        Array.new(number) { |n| "t#{n}" }
      end

      def jobs(number)
        settings.scaled(number, 2)
      end

      def results(load)
        arguments = { plan: load.plan, workers: WORKERS, weights: load.weights.to_h }
        measured = arena.rounds(settings.few(2), ALL) do |one|
          outcome(load, one.call(:fairness, **arguments).result)
        end
        MEASURES.map do |key, label, unit|
          numbers = measured.transform_values { |all| all.map { |outcome| outcome[key] } }
          Result.new("fairness #{load.name} #{key}", "#{load.name}: #{label}", unit, numbers)
        end
      end

      # @return [Hash{Symbol => Float}]
      def outcome(load, last_enqueue)
        records = records_of(load)
        light = records.select { |record| load.light.include?(record.tenant) }
        { Jain: Demo::WorkerTime.new(records, load, last_enqueue).jain.to_f, p95: Demo::Waits.new(light).p95 * 1000 }
      end

      def records_of(load)
        records = server.redis.lrange('resque:bench:done', 0, -1).map { |line| Demo::Record.parse(line) }
        expected = load.plan.sum { |_, jobs, _| jobs }
        return records if records.size == expected

        raise Support::Error, "#{records.size} of #{expected} jobs ran (#{load.name})"
      end
    end
  end
end
