# frozen_string_literal: true

require_relative 'charts'

module Bench
  # benchmark/RESULTS.md: the tables of a whole run, with charts.
  class Page
    # @param file [String] the charts go into `results/` beside it
    def initialize(file = File.expand_path('RESULTS.md', __dir__))
      @file = file
    end

    # @param results [Hash{String => Array<Result>}] by row
    # @param report [Report] of these
    def write(results, report)
      charts = Charts.new(results).write(File.join(File.dirname(@file), 'results'))
      pictures = charts.map { |name| "![#{name}](results/#{name}.svg)" }
      File.write(@file, [INTRODUCTION, report.to_markdown, *pictures].join("\n\n").concat("\n"))
    end

    INTRODUCTION = <<~MARKDOWN.chomp
      # Benchmark results

      This gem (ours) beside plain Resque, resque-fair-share 0.1.0 and resque-job-chain 0.1.0: all in one run, each in a process of its
      own, against one redis-server.

      - *Whole job* is the cost of a job in a worker that does not fork. In one that forks, the fork outweighs everything else.
      - *Real workers* are processes as `rake resque:work` starts them. The time they take to load is not counted.

      `bin/bench --write` measures everything again and replaces this file and the charts: ten to fifteen minutes, with `--full` three
      quarters of an hour. `bin/bench --help` lists the options. It starts in [main.rb](main.rb), and each file in [rows/](rows)
      measures a few rows of the tables.
    MARKDOWN
    private_constant :INTRODUCTION
  end
end
