# frozen_string_literal: true

# A real Resque worker in a process of its own, forked from the spec, so that it knows the spec's job classes.
class WorkerProcess
  class << self
    # @param queues [Array<String>]
    # @param interval [Float] seconds between polls
    # @param fork_per_job [Boolean]
    # @yield in the worker's process, before it works
    def start(*queues, interval: 0.05, fork_per_job: true, &prepare)
      worker = new(queues, interval, fork_per_job, prepare)
      all << worker
      worker
    end

    # Works until the queues are empty, then ends.
    def drain(*queues, **options)
      start(*queues, interval: 0, **options).wait
    end

    def end_all
      all.each(&:kill).each(&:kill_orphans)
      all.clear
    end

    private

    def all
      @all ||= []
    end
  end

  attr_reader :pid, :id

  def initialize(queues, interval, fork_per_job, prepare)
    @id = nil
    @pid = fork do
      Process.setpgrp
      run(queues, interval, fork_per_job, prepare)
    ensure
      exit!
    end
    @group = @pid
    @id = "#{Socket.gethostname}:#{@pid}:#{queues.join(',')}"
  end

  def signal(name)
    Process.kill(name, @pid)
  end

  # kill -9, and the process is gone when this returns.
  def kill
    signal(:KILL) if @pid
    wait
  rescue Errno::ESRCH
    wait
  end

  # What a killed worker has left running.
  def kill_orphans
    Process.kill(:KILL, -@group)
  rescue Errno::ESRCH
    nil
  end

  # After the current job.
  def quit
    signal(:QUIT)
    wait
  end

  def wait
    Process.wait(@pid) if @pid
    @pid = nil
  rescue Errno::ECHILD
    @pid = nil
  end

  # @return [Boolean] whether it is no more, by whatever cause
  def ended?
    @pid = nil if @pid && Process.wait(@pid, Process::WNOHANG)
    @pid.nil?
  rescue Errno::ECHILD
    @pid = nil
    true
  end

  # @return [Array<Integer>] pids of the worker's children that run now
  def children
    File.read("/proc/#{@pid}/task/#{@pid}/children").split.map(&:to_i)
  end

  # @return [Boolean] whether it has started up, and so looked for the dead
  def registered?
    Resque.data_store.worker_exists?(@id)
  end

  private

  def run(queues, interval, fork_per_job, prepare)
    # What the spec's process holds open is not this one's.
    Resque.redis = REDIS_URL
    %w[QUEUE QUEUES].each { |name| ENV.delete(name) }
    worker = Resque::Worker.new(*queues)
    worker.fork_per_job = fork_per_job
    prepare&.call(worker)
    worker.work(interval)
  end
end
