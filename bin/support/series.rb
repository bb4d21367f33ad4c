# frozen_string_literal: true

module Support
  # Measured numbers, such as those of several rounds.
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
      sorted[[(share * sorted.size).ceil - 1, 0].max]
    end

    # @return [Float, nil]
    def median
      return if sorted.empty?

      middle = sorted[((sorted.size - 1) / 2)..(sorted.size / 2)]
      middle.sum / middle.size
    end

    def min
      sorted.first
    end

    def max
      sorted.last
    end

    # @return [Series] round by round; a round in which the other is 0 is left out
    def /(other)
      Series.new(values.zip(other.values).filter_map { |mine, theirs| mine / theirs unless theirs.to_f.zero? })
    end

    def to_h
      { median: median, min: min, max: max }
    end

    private

    def sorted
      @sorted ||= values.sort
    end
  end
end
