# frozen_string_literal: true

require_relative '../bin/support/text'

module Demo
  # One sentence about what the numbers mean.
  class Verdict
    # Times that differ by a smaller share count as the same.
    SAME = 0.05

    # @param runs [Array<Result>] the plain run, the fair run
    def initialize(runs)
      @runs = runs
      @tenants = runs.first.tenants
    end

    def to_s
      wait = both(@tenants.small_group, :median)
      done = both(@tenants.groups.first, :done)
      return 'Too few jobs were done to compare the runs.' unless (wait + done).all?

      waited, was_done = [wait, done].map { |times| times.map { |time| Support::Text.seconds(time) } }
      "With fair share a small tenant's job waited #{waited.last} (median) instead of #{waited.first}, " \
        "#{less(*wait)}; the whale was done in #{was_done.last} instead of #{was_done.first}, #{later(*done)}."
    end

    private

    # @return [Array(Float, Float)] of the plain and of the fair run
    def both(group, what)
      @runs.map { |run| run.waits(group).public_send(what) }
    end

    def less(before, after)
      return changed(before, after, 'less', 'more') if after.zero? || before / after < 2

      times = (before / after).round(1)
      "#{times < 10 ? times : times.round} times less"
    end

    def later(before, after)
      changed(before, after, 'earlier', 'later')
    end

    def changed(before, after, smaller, larger)
      change = before.positive? ? (after / before) - 1 : 0.0
      return 'about the same' if change.abs < SAME

      "#{format('%.0f %%', change.abs * 100)} #{change.negative? ? smaller : larger}"
    end
  end
end
