# frozen_string_literal: true

require_relative 'glyphs'
require_relative 'waits'

module Demo
  # The numbers of both runs: a line each group of tenants.
  class Table
    COLUMNS = ['jobs', 'median wait', '95 % within', 'longest', 'all done in', 'worker time*'].freeze

    # @param comparison [Comparison]
    def initialize(comparison)
      @comparison = comparison
    end

    def to_s
      rows = [['', *COLUMNS], *@comparison.runs.flat_map { |run| rows_of(run) }]
      widths = rows.select { |row| row.size > 1 }.transpose.map { |cells| cells.map(&:size).max }
      rows.map { |row| aligned(row, widths) }.join("\n")
    end

    private

    def rows_of(run)
      [[], [@comparison.heading(run)], *@comparison.tenants.groups.map { |group| row(run, group) }]
    end

    def row(run, group)
      waits = @comparison.waits(run, group)
      times = [waits.median, waits.p95, waits.longest, waits.done].map { |value| Glyphs.seconds(value) }
      ["  #{group.label}", Glyphs.number(waits.jobs), *times, share(run, group)]
    end

    def share(run, group)
      share = @comparison.worker_time(run).share(group.names)
      return '-' unless share

      format(group.names.one? ? '%.1f %%' : '%.1f %% each', share * 100)
    end

    def aligned(row, widths)
      row.zip(widths).map.with_index { |(cell, width), i| i.zero? ? cell.ljust(width) : cell.rjust(width) }
         .join('  ').rstrip
    end
  end
end
