# frozen_string_literal: true

require_relative '../bin/support/clock'
require_relative 'record'

module Demo
  # A worker performs a job of the demo before it forks for the first one.
  #
  # Ruby fills inline caches the first time code runs. In a forked child each such write copies a page, and every child
  # would pay again: 800 pages a job without this class, 260 with it. The demo's time is mostly these copies.
  class WarmUp
    # The garbage of so many jobs is about 5 MB.
    JOBS_PER_COLLECTION = 500

    # @param job_class [Class] one with {Job}
    def initialize(job_class)
      @job_class = job_class
    end

    def perform
      job = { tenant: 'none', id: 'none', enqueued: Support::Clock.now, ms: 0, list: Record.list('warm_up') }
      Resque::Job.create('warm_up', @job_class, job)
      worker = Resque::Worker.new('warm_up')
      worker.fork_per_job = false
      worker.reconnect
      worker.work_one_job
      tidy_seldom
    end

    private

    # Garbage collection writes to all pages, so it runs rarely. glibc coalesces freed chunks at the next large
    # allocation and writes to each: done here, or every child copies those pages.
    def tidy_seldom
      GC.disable
      jobs = 0
      Resque.before_fork do
        GC.start if ((jobs += 1) % JOBS_PER_COLLECTION).zero?
        String.new(capacity: 4096)
      end
    end
  end
end
