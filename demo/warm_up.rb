# frozen_string_literal: true

require_relative 'clock'
require_relative 'record'

module Demo
  # What a worker does before its first job.
  #
  # A fork shares its memory with the worker until one of them writes to it, so the demo's time goes by the pages that
  # have to be copied: 800 a job without what is done here, 260 with it. Ruby fills its caches where code runs for the
  # first time; what a worker has not run yet, each of its children runs for the first time.
  class WarmUp
    # A worker's garbage of so many jobs is some 5 MB.
    JOBS_PER_COLLECTION = 500

    # @param job_class [Class] one with {Job}
    def initialize(job_class)
      @job_class = job_class
    end

    def perform
      job = { tenant: 'none', id: 'none', enqueued: Clock.now, ms: 0, list: Record.list('warm_up') }
      Resque::Job.create('warm_up', @job_class, job)
      worker = Resque::Worker.new('warm_up')
      worker.fork_per_job = false
      worker.reconnect
      worker.work_one_job
      tidy_seldom
    end

    private

    # Garbage collection writes to all pages. And the C library tidies its free memory when it is asked for much at
    # once: better here than in each child.
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
