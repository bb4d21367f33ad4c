# frozen_string_literal: true

require_relative 'clock'
require_relative 'error'
require_relative 'interruption'

module Demo
  # Real Resque workers, each in a process of its own, that fork for each job.
  class WorkerPool
    # Seconds between two looks at an empty queue.
    POLL = 0.1
    # Seconds that a worker may take to start, and to end.
    PATIENCE = 20

    # @param session [Session]
    # @param queues [Array<String, Symbol>] what they work on
    # @param size [Integer]
    # @param warm_up [Proc] called in each worker before it looks for jobs
    def initialize(session, queues, size, &warm_up)
      @session = session
      @queues = queues
      @size = size
      @warm_up = warm_up
      @pids = []
    end

    # Comes back when all are there and look for jobs.
    def start
      @size.times { launch }
      wait_until { started? } || raise(Error, "the workers did not start in #{PATIENCE} s")
    end

    # Kills a worker with its child, and puts a new one in its place. Comes back when that one looks for jobs: it has
    # pruned the dead one then.
    # @param pid [Integer] the worker's
    def replace(pid)
      @pids.delete(pid)
      Process.kill(:KILL, -pid)
      Process.wait(pid)
      wait_until { may_prune? }
      launch
      wait_until { started? } || raise(Error, "the new worker did not start in #{PATIENCE} s")
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

    def launch
      @pids << fork { work }
    end

    # Resque lets one worker prune in a heartbeat's interval.
    def may_prune?
      Interruption.check
      !Resque.redis.exists?('pruning_dead_workers_in_progress')
    end

    def work
      Interruption.unwatch
      # A group of its own: a Ctrl-C is for the demo, which ends the workers itself, and a kill reaches its child.
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
      Interruption.check
      check
      (@pids - Resque.workers.map(&:pid)).empty?
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
