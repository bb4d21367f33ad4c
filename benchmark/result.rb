# frozen_string_literal: true

require_relative '../bin/support/series'
require_relative 'goals'

module Bench
  # One line of the report: each contender's numbers, round by round.
  class Result
    Verdict = Struct.new(:goal, :value, :met)

    # @return [String]
    attr_reader :name, :label, :unit
    # @return [Hash{Symbol => Support::Series}] by contender: :ours, :plain, :old
    attr_reader :series
    # @return [Hash] CPU time and the like, for --json
    attr_reader :details

    # @param series [Hash{Symbol => Array<Numeric>}]
    def initialize(name, label, unit, series, details = {})
      @name = name
      @label = label
      @unit = unit
      @series = series.transform_values { |values| Support::Series.new(values) }
      @details = details
    end

    # @param other [Symbol] contender
    # @return [Support::Series, nil] ours divided by the other's, round by round
    def ratio(other)
      series[:ours] / series[other] if series[:ours] && series[other]
    end

    # @return [Array<Verdict>] one a goal that can be judged
    def verdicts
      GOALS.fetch(name, []).filter_map do |goal|
        value = (goal.against == :ours ? series[:ours] : ratio(goal.against))&.median
        Verdict.new(goal, value, goal.met?(value.round(3))) if value
      end
    end

    def to_h
      { name: name, label: label, unit: unit,
        contenders: series.transform_values { |one| one.to_h.merge(rounds: one.values) },
        ratios: %i[plain old].to_h { |other| [other, ratio(other)&.to_h] }.compact,
        goals: verdicts.map { |verdict| { goal: verdict.goal.to_s, value: verdict.value, met: verdict.met } },
        details: details }
    end
  end
end
