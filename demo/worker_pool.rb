# frozen_string_literal: true

require_relative '../bin/support/clock'
require_relative '../bin/support/error'
require_relative '../bin/support/interruption'

module Demo
  # Real Resque workers, each in a process of its own, that fork for each job.
  class WorkerPool
    # Seconds between two looks at an empty queue.
    POLL = 0.1
    # Seconds that a worker may take to start or to end.
    PATIENCE = 20

    # @param session [Session]
    # @param queues [Array<String, Symbol>] that they work on
    # @param size [Integer]
    # @param warm_up [Proc] called in each worker before it looks for jobs
    def initialize(session, queues, size, &warm_up)
      @session = session
      @queues = queues
      @size = size
      @warm_up = warm_up
      @pids = []
    end

    # Returns when all of them look for jobs.
    def start
      @size.times { launch }
      wait_until { started? } || raise(Support::Error, "the workers did not start in #{PATIENCE} s")
    end

    # Kills a worker with its child, and starts a new one. Returns when the new one looks for jobs: by then it has
    # pruned the dead one.
    # @param pid [Integer] the worker's
    def replace(pid)
      @pids.delete(pid)
      Process.kill(:KILL, -pid)
      Process.wait(pid)
      wait_until { may_prune? }
      launch
      wait_until { started? } || raise(Support::Error, "the new worker did not start in #{PATIENCE} s")
    end

    # @return [Boolean] whether one of them has a job
    def busy?
      Resque.working.any? { |worker| @pids.include?(worker.pid) }
    end

    # @raise [Error] when one is gone
    def check
      return if reap.size == @size

      raise Support::Error, 'a worker has ended too early; LOGGING=1 bin/demo shows what the workers log'
    end

    # Each ends after its job.
    def finish
      signal(:QUIT)
      wait_until { reap.empty? } || stop
    end

    # They end now; a running job is killed.
    def stop
      signal(:TERM)
      wait_until(3) { reap.empty? } || kill
    end

    private

    def launch
      @pids << fork { work }
    end

    # Resque lets one worker prune in each heartbeat interval.
    def may_prune?
      Support::Interruption.check
      !Resque.redis.exists?('pruning_dead_workers_in_progress')
    end

    def work
      Support::Interruption.unwatch
      # In a process group of its own: the demo, not the terminal's Ctrl-C, ends the workers, and a kill reaches the
      # worker's child too.
      Process.setpgrp
      @session.connect
      @warm_up&.call
      worker = Resque::Worker.new(*@queues)
      worker.fork_per_job = true
      worker.work(POLL)
    rescue StandardError => e
      warn "\nworker: #{e.full_message}"
    ensure
      exit!
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
      Support::Interruption.check
      check
      (@pids - Resque.workers.map(&:pid)).empty?
    end

    def wait_until(seconds = PATIENCE)
      deadline = Support::Clock.now + seconds
      until (result = yield)
        return if Support::Clock.now > deadline

        sleep 0.02
      end
      result
    end
  end
end
