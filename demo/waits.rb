# frozen_string_literal: true

module Demo
  # How long the jobs of some tenants waited.
  class Waits
    # @param records [Array<Record>]
    def initialize(records)
      @records = records
      @waits = records.map(&:wait).sort
    end

    def jobs
      @waits.size
    end

    # By nearest rank.
    # @return [Float, nil] seconds, within which that share of the jobs had started; nil without jobs
    def within(share)
      @waits[(share * jobs).ceil - 1] if jobs.positive?
    end

    def median
      within(0.5)
    end

    def p95
      within(0.95)
    end

    def longest
      @waits.last
    end

    # @return [Float, nil] seconds from the first of these jobs' enqueue until the last was done
    def done
      @records.map(&:ended).max - @records.map(&:enqueued).min if jobs.positive?
    end
  end
end
