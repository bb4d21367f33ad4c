# frozen_string_literal: true

module Bench
  # Why a goal is out of reach, by the name of the result. The report prints the reason where the goal was not met.
  module Limits
    SCRIPT = 'a fair pick is a script of ten commands, about 20 µs of Redis (3 before its first line), ' \
             'against 1 µs of LPOP. The client needs less CPU than plain Resque for it, but not by as much.'
    INDEX = 'Redis stores list elements in nodes of 8 KB. Our jobs are longer by a time of 11 digits and a ticket: a ' \
            'node holds 16 plain jobs of 500 bytes, but 15 of ours. With 510 bytes it holds 15 of both.'

    REASONS = {
      'enqueue' => 'the script runs eight commands where plain Resque sends two.',
      'reserve 100' => SCRIPT,
      'reserve 1000' => SCRIPT,
      'whole' => 'three scripts (enqueue, reserve, done) are 50 µs of Redis against 5. Most of the rest is ' \
                 "Resque's own Ruby, the same for all three.",
      'memory' => 'a time of 11 digits and a ticket are 17 bytes a job, and the last node of each list is not full.',
      'memory ActiveJob' => INDEX,
      'workers' => 'nearly all of a job is fork: it marks the pages of a process of 32 MB, and parent and child copy ' \
                   'those they write to. With the gem the process has 36 MB; the parent copies 120 pages instead of ' \
                   "94, since the core's allocations are scattered over the free memory, and the child 275 instead " \
                   'of 290 (counted by perf, on a machine where each takes 20 µs). That holds for the first hundred ' \
                   'jobs of a worker; after them plain Resque was not cheaper there.',
      'empty' => 'a script that finds nothing is still a script: 8 µs of Redis against 1.',
      'plain_queue' => "the gem looks up each payload's class (is it fair?) and each queue's Redis: a few µs of " \
                       'Ruby. Redis does the same as without the gem.',
      'empty 20 queues' => "the gem looks up each queue's Redis: a few µs of Ruby.",
      'chain' => 'plain jobs that enqueue one another are not twice as fast as 0.1.0 either: most of the cost is ' \
                 "Resque's. We read a step once more before it runs, so that none runs twice; its end is faster " \
                 '(p50, p99).',
      'chain_memory finished' => 'a finished chain is in two indexes that 0.1.0 lacks: by status and by expiry.',
      'redis_us 10' => SCRIPT,
      'redis_us 100' => SCRIPT,
      'redis_us 1000' => SCRIPT,
      'redis_us 10000' => "as above; and each tenant's first running job makes a key."
    }.freeze

    # @param results [Array<Result>]
    # @return [Array<String>] each reason, after the results it explains
    def self.of(results)
      missed = results.select { |result| result.verdicts.any? { |verdict| !verdict.met } && REASONS.key?(result.name) }
      missed.group_by { |result| REASONS.fetch(result.name) }
            .map { |reason, those| "#{those.map(&:label).join('; ')}: #{reason}" }
    end
  end
end
