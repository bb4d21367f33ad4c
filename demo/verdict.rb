# frozen_string_literal: true

require_relative 'glyphs'

module Demo
  # What the numbers mean, in a sentence.
  class Verdict
    # Times that differ by less are called the same.
    SAME = 0.05

    # @param comparison [Comparison]
    def initialize(comparison)
      @comparison = comparison
    end

    def to_s
      wait = both(@comparison.tenants.small_group, :median)
      done = both(@comparison.tenants.groups.first, :done)
      return 'Too few jobs were done to compare the runs.' unless (wait + done).all?

      "With fair share a small tenant's job waited #{Glyphs.seconds(wait.last)} (median) instead of " \
        "#{Glyphs.seconds(wait.first)}, #{less(*wait)}; the whale was done in #{Glyphs.seconds(done.last)} " \
        "instead of #{Glyphs.seconds(done.first)}, #{later(*done)}."
    end

    private

    # @return [Array(Float, Float)] of the plain and of the fair run
    def both(group, what)
      @comparison.runs.map { |run| @comparison.waits(run, group).public_send(what) }
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
