# frozen_string_literal: true

module Bench
  # Numbers of several rounds.
  class Series
    # @return [Array<Float>]
    attr_reader :values

    # @param values [Array<Numeric>]
    def initialize(values)
      @values = values.map(&:to_f)
    end

    # @param share [Float] 0 to 1
    # @return [Float, nil] by nearest rank
    def quantile(share)
      sorted = values.sort
      sorted[[(share * sorted.size).ceil - 1, 0].max]
    end

    def median
      return if values.empty?

      middle = values.sort[((values.size - 1) / 2)..(values.size / 2)]
      middle.sum / middle.size
    end

    def min
      values.min
    end

    def max
      values.max
    end

    # @return [Series] round by round; a round in which the other is 0 says nothing
    def /(other)
      Series.new(values.zip(other.values).filter_map { |mine, theirs| mine / theirs unless theirs.to_f.zero? })
    end

    def to_h
      { median: median, min: min, max: max }
    end
  end
end
