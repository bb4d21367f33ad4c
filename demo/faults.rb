# frozen_string_literal: true

module Demo
  # What went wrong in the runs: jobs that did not run, and jobs that ran more than once.
  class Faults
    # Jobs that are named; the others are counted.
    NAMED = 5

    # @param runs [Array<Run::Result>]
    def initialize(runs)
      @runs = runs
    end

    def none?
      to_a.empty?
    end

    # @return [Array<String>] a sentence each
    def to_a
      @runs.flat_map do |run|
        [lost(run), repeated(run), failed(run)].compact.map { |text| "#{run.title} run: #{text}" }
      end
    end

    private

    def lost(run)
      return if run.lost.empty?

      left = ", and the queue still holds #{run.left}" if run.left.positive?
      "#{jobs(run.lost)} lost#{left}"
    end

    def repeated(run)
      "#{jobs(run.repeated)} run more than once" if run.repeated.any?
    end

    def failed(run)
      return if run.failures.empty?

      "Resque's failed list has #{run.failures.tally.map { |error, times| "#{times} x #{error}" }.join('; ')}"
    end

    def jobs(ids)
      more = ', ...' if ids.size > NAMED
      "#{ids.size} #{ids.one? ? 'job' : 'jobs'} (#{ids.first(NAMED).join(', ')}#{more}) #{ids.one? ? 'was' : 'were'}"
    end
  end
end
