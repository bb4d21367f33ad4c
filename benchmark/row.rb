# frozen_string_literal: true

require_relative '../bin/support/text'
require_relative 'result'

module Bench
  # A row of the benchmark: measures, and returns one result or several. Each row in rows/ has a name for --only.
  class Row
    ALL = %i[plain old ours].freeze
    # How many jobs of a tenant may run, in 0.1.0 and in ours.
    CAP = 50
    REGISTRY = {} # rubocop:disable Style/MutableConstant

    # Declares a row's name. With a block, the block is all that it measures: it returns one Result or several.
    def self.row(name, &block)
      REGISTRY[name] = block ? Class.new(self) { define_method(:call) { Array(instance_exec(&block)) } } : self
    end

    # @param arena [Arena]
    # @param settings [Options::Settings]
    def initialize(arena, settings)
      @arena = arena
      @settings = settings
    end

    # @return [Array<Result>]
    def call
      raise NotImplementedError
    end

    private

    attr_reader :arena, :settings

    def server
      arena.server
    end

    # @return [Integer] how many of `count` jobs the tenants' caps let be reserved
    def within_caps(count, tenants)
      [count, CAP * tenants].min
    end

    # Microseconds for one of `count`. The block measures all of them.
    # @return [Result]
    def timed(name, label, count, contenders: ALL, rounds: settings.rounds, &block)
      measured = arena.rounds(rounds, contenders, &block)
      numbers = measured.transform_values { |all| all.map { |one| one.seconds / count * 1e6 } }
      Result.new(name, label, 'µs', numbers, costs(measured, count))
    end

    # @return [Hash] medians, per one of `count`
    def costs(measured, count)
      measured.transform_values do |all|
        { cpu_us: all.map { |one| one.cpu / count * 1e6 }, redis_cpu_us: all.map { |one| one.redis_cpu / count * 1e6 },
          commands: all.map { |one| one.calls.to_f / count } }.transform_values { |values| Support::Series.new(values).median }
      end
    end

    # 0.1.0's chains are in a gem of their own: its numbers go into the same column.
    def chain_series(gathered)
      { plain: gathered[:plain], old: gathered[:old_chain], ours: gathered[:ours] }.compact
    end

    def thousands(number)
      Support::Text.number(number)
    end
  end
end
