# frozen_string_literal: true

require_relative 'clock'
require_relative 'error'
require_relative 'interruption'
require_relative 'record'

module Demo
  # Real Resque workers, each in a process of its own, that fork for each job.
  class WorkerPool
    # Seconds between two looks at an empty queue.
    POLL = 0.1
    # Seconds that a worker may take to start, and to end.
    PATIENCE = 20
    # A worker's garbage of so many jobs is some 5 MB.
    JOBS_PER_COLLECTION = 500

    # @param session [Session]
    # @param job_class [Class] whose queue they work on
    # @param size [Integer]
    def initialize(session, job_class, size)
      @session = session
      @job_class = job_class
      @size = size
      @pids = []
    end

    # Comes back when all are there and look for jobs.
    def start
      @size.times { @pids << fork { work } }
      wait_until { started? } || raise(Error, "the workers did not start in #{PATIENCE} s")
    end

    # @return [Boolean] whether one of them has a job
    def busy?
      Resque.working.any? { |worker| @pids.include?(worker.pid) }
    end

    # @raise [Error] when one is gone
    def check
      return if reap.size == @size

      raise Error, 'a worker has ended before its time; LOGGING=1 bin/demo shows what the workers say'
    end

    # Each ends after its job.
    def finish
      signal(:QUIT)
      wait_until { reap.empty? } || stop
    end

    # They end now; a job that runs is killed.
    def stop
      signal(:TERM)
      wait_until(3) { reap.empty? } || kill
    end

    private

    def work
      Interruption.unwatch
      # A group of its own: a Ctrl-C is for the demo, which ends the workers itself, and a kill reaches its child.
      Process.setpgrp
      @session.connect
      warm_up
      worker = Resque::Worker.new(Resque.queue_from_class(@job_class))
      worker.fork_per_job = true
      worker.work(POLL)
    rescue StandardError => e
      warn "\nworker: #{e.full_message}"
    ensure
      exit!
    end

    # A fork shares its memory with the worker until one of them writes to it, so the demo's time goes by the pages that
    # have to be copied: 800 a job without what is done here, 260 with it. Ruby fills its caches where code runs for the
    # first time; what a worker has not run yet, each of its children runs for the first time.
    def warm_up
      job = { tenant: 'none', id: 'none', enqueued: Clock.now, ms: 0, list: Record.list('warm_up') }
      Resque::Job.create('warm_up', @job_class, job)
      worker = Resque::Worker.new('warm_up')
      worker.fork_per_job = false
      worker.reconnect
      worker.work_one_job
      tidy_seldom
    end

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

    def signal(name)
      @pids.each { |pid| Process.kill(name, pid) }
    end

    def kill
      @pids.each do |pid|
        Process.kill(:KILL, -pid)
      rescue Errno::ESRCH
        Process.kill(:KILL, pid) # too early for its group
      end
      wait_until { reap.empty? }
    end

    # @return [Array<Integer>] those that still run
    def reap
      @pids.reject! { |pid| Process.wait(pid, Process::WNOHANG) }
      @pids
    end

    def started?
      Interruption.check
      check
      Resque.workers.size >= @size
    end

    def wait_until(seconds = PATIENCE)
      deadline = Clock.now + seconds
      until (result = yield)
        return if Clock.now > deadline

        sleep 0.02
      end
      result
    end
  end
end
