# frozen_string_literal: true

require_relative '../bin/support/series'

module Demo
  # How long the jobs of some tenants waited, in seconds.
  class Waits < Support::Series
    # @param records [Array<Record>]
    def initialize(records)
      super(records.map(&:wait))
      @records = records
    end

    # @return [Float, nil]
    def p95
      quantile(0.95)
    end

    # @return [Float, nil] seconds from the first of these jobs' enqueue until the last was done
    def done
      @records.map(&:ended).max - @records.map(&:enqueued).min if @records.any?
    end
  end
end
