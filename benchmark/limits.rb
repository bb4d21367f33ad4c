# frozen_string_literal: true

module Bench
  # Why a goal is out of reach, by a result's name: the report says so where it was not met.
  module Limits
    SCRIPT = 'a fair pick is a script of ten commands, about 20 µs of Redis (3 before its first line), ' \
             'against 1 µs of LPOP. The client needs less CPU than plain Resque for it, but not by as much.'
    INDEX = 'Redis keeps list elements together in pieces of 8 KB. A job has 11 digits of time and a ticket more ' \
            'than a plain one, so where 16 of 500 bytes fit, 15 of ours do; with 510 bytes it is 15 for both.'

    REASONS = {
      'enqueue' => 'the script runs eight commands where plain Resque sends two.',
      'reserve 100' => SCRIPT,
      'reserve 1000' => SCRIPT,
      'whole' => 'three scripts (enqueue, reserve, done) are 50 µs of Redis against 5. Most of the rest is ' \
                 "Resque's own Ruby, the same for all three.",
      'memory' => '11 digits of time and a ticket are 17 bytes a job, and 100 lists end in a piece that is not full.',
      'memory ActiveJob' => INDEX,
      'workers' => 'nearly all of a job is fork: the pages of a process of 32 MB are marked, and what parent or ' \
                   'child write to are copied. With the gem it has 36 MB; the parent copies 120 instead of 94, since ' \
                   'what the core allocates is strewn over the memory that is free, the child 275 instead of 290 ' \
                   '(counted by perf; 20 µs each where that was done). That is so in the first hundred jobs of a ' \
                   'worker; from then on plain Resque was not cheaper there.',
      'empty' => 'a script that finds nothing is still a script: 8 µs of Redis against 1.',
      'plain_queue' => "each payload's class is looked up (does it take turns?), and each queue's Redis: some µs of " \
                       'Ruby. Redis does the same as without the gem.',
      'empty 20 queues' => "each queue's Redis is looked up: some µs of Ruby.",
      'chain' => 'a chain that is made by hand of plain jobs is not twice as fast as 0.1.0 either: most of a job is ' \
                 "Resque's own. A step is read once more before it runs, so that none runs twice; its end is faster " \
                 '(p50, p99).',
      'chain_memory finished' => 'a finished chain is in two indexes that 0.1.0 has not: by status, and by expiry.',
      'redis_us 10' => SCRIPT,
      'redis_us 100' => SCRIPT,
      'redis_us 1000' => SCRIPT,
      'redis_us 10000' => "as above; and each tenant's first running job makes a key."
    }.freeze

    # @param results [Array<Result>]
    # @return [Array<String>] a sentence a reason, with what it is the reason for
    def self.of(results)
      missed = results.select { |result| result.verdicts.any? { |verdict| !verdict.met } && REASONS.key?(result.name) }
      missed.group_by { |result| REASONS.fetch(result.name) }
            .map { |reason, those| "#{those.map(&:label).join('; ')}: #{reason}" }
    end
  end
end
