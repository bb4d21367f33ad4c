# frozen_string_literal: true

require_relative 'glyphs'

module Demo
  # The waits as bars, all to the same scale.
  class Chart
    WIDTH = 48

    # @param comparison [Comparison]
    def initialize(comparison)
      @comparison = comparison
    end

    def to_s
      [legend, *@comparison.runs.flat_map { |run| lines(run) }].join("\n")
    end

    private

    def legend
      full, light = Glyphs.characters.values_at(:full, :light)
      "How long jobs waited for a worker: #{full * 3} half of them at the most, #{light * 3} 95 % of them"
    end

    def lines(run)
      @comparison.tenants.groups.map do |group|
        waits = @comparison.waits(run, group)
        bar = Glyphs.bar(WIDTH, *[waits.median, waits.p95].map { |wait| wait.to_f / scale })
        "  #{run.title.ljust(6)}#{group.label.ljust(label_width)}  #{bar} #{Glyphs.seconds(waits.median).rjust(7)}"
      end
    end

    def scale
      @scale ||= every_wait.max&.nonzero? || 1.0
    end

    def every_wait
      @comparison.runs.flat_map do |run|
        @comparison.tenants.groups.filter_map { |group| @comparison.waits(run, group).p95 }
      end
    end

    def label_width
      @comparison.tenants.groups.map { |group| group.label.size }.max
    end
  end
end
