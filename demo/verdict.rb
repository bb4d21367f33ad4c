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
      small = both(@comparison.tenants.small_group, :median)
      whale = both(@comparison.tenants.groups.first, :done)
      return 'Nothing can be said: too few jobs were done.' unless (small + whale).all?

      "With fair share half of the small tenants' jobs waited #{Glyphs.seconds(small[1])} at the most, instead of " \
        "#{Glyphs.seconds(small[0])} (#{less(*small)}), and the whale was done in #{Glyphs.seconds(whale[1])} instead of " \
        "#{Glyphs.seconds(whale[0])} (#{later(*whale)})."
    end

    private

    # @return [Array(Float, Float)] of the plain and of the fair run
    def both(group, what)
      @comparison.runs.map { |run| @comparison.waits(run, group).public_send(what) }
    end

    def less(before, after)
      change = change(before, after)
      if change.abs < SAME then 'about the same'
      elsif after.positive? && before / after >= 2 then format("#{before / after < 10 ? '%.1f' : '%.0f'} times less", before / after)
      else "#{percent(change)} #{change.negative? ? 'less' : 'more'}"
      end
    end

    def later(before, after)
      change = change(before, after)
      return 'about the same' if change.abs < SAME

      "#{percent(change)} #{change.negative? ? 'earlier' : 'later'}"
    end

    def change(before, after)
      before.positive? ? (after / before) - 1 : 0.0
    end

    def percent(change)
      format('%.0f %%', change.abs * 100)
    end
  end
end
