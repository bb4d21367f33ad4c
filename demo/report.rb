# frozen_string_literal: true

require_relative '../bin/support/text'
require_relative 'verdict'

module Demo
  # Compares both runs.
  class Report
    HEADINGS = ['queue', 'tenants', 'jobs', 'median wait', '95 % within', 'longest', 'all done in',
                'worker time*'].freeze
    BAR = 48

    # @param runs [Array<Result>] the plain run, the fair run
    def initialize(runs)
      @runs = runs
      @tenants = runs.first.tenants
    end

    def to_s
      [table, paragraph(window), paragraph(jain), chart, paragraph(Verdict.new(@runs))].join("\n\n")
    end

    private

    def table
      plain, fair = @runs.map { |run| @tenants.groups.map { |group| row(run, group) } }
      Support::Text.table([*plain, :separator, *fair], headings: HEADINGS, right: 2..7)
    end

    def row(run, group)
      waits = run.waits(group)
      times = [waits.median, waits.p95, waits.max, waits.done].map { |value| seconds(value) }
      [run.title, group.label, Support::Text.number(waits.values.size), *times, share(run, group)]
    end

    def share(run, group)
      share = run.worker_time.share(group.names)
      return '-' unless share

      format(group.names.one? ? '%.1f %%' : '%.1f %% each', share * 100)
    end

    def window
      plain, fair = @runs.map { |run| seconds(run.worker_time.window) }
      '* The share of the worker time that a tenant got while every tenant had jobs waiting: from the last enqueue ' \
        "until the first tenant had none left waiting (#{plain} of the plain run, #{fair} of the fair run)." \
        "#{' The plain queue knows no weights.' if @tenants.weights?}"
    end

    def jain
      plain, fair = @runs.map do |run|
        index = run.worker_time.jain
        index ? format('%.2f', index) : 'unknown (at no time did all have jobs waiting)'
      end
      "Jain's fairness index of that time: plain #{plain}, fair #{fair}. It is 1 if each tenant got the " \
        "same#{' for its weight' if @tenants.weights?}, #{format('%.2f', 1.0 / @tenants.names.size)} if one got " \
        'everything.'
    end

    # The waits as bars, all to the same scale.
    def chart
      rows = @runs.product(@tenants.groups).map do |run, group|
        waits = run.waits(group)
        [run.title, group.label, bar(waits), seconds(waits.median)]
      end
      full, light = marks.map { |mark| mark * 3 }
      "How long jobs waited for a worker: #{full} half of them at most, #{light} 95 % of them\n" +
        Support::Text.table(rows, right: [3], style: Support::Text::NO_BORDER)
    end

    def bar(waits)
      full, all = [waits.median, waits.p95].map { |wait| (wait.to_f / longest * BAR).ceil }
      (marks.first * full) + (marks.last * (all - full))
    end

    def longest
      @longest ||= @runs.product(@tenants.groups).filter_map { |run, group| run.waits(group).p95 }.max&.nonzero? || 1.0
    end

    # Those that the locale can show.
    def marks
      Encoding.find('locale') == Encoding::UTF_8 ? %w[█ ░] : %w[# -]
    end

    def paragraph(text)
      Support::Text.paragraph(text)
    end

    def seconds(value)
      Support::Text.seconds(value)
    end
  end
end
