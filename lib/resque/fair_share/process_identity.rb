# frozen_string_literal: true

require 'etc'
require 'socket'
require 'time'

module Resque
  module FairShare
    # Names the owner of a lease: "PID@START@WORKER", where START tells two processes of the same pid apart (a restarted
    # container has the same names and pids) and WORKER is the worker's id, or HOST:PID where no worker is involved.
    # @private
    module ProcessIdentity
      # @private
      Owner = Struct.new(:pid, :start, :worker) do
        # @implements Owner

        # @return [String] of a worker id, HOST:PID:QUEUES; of any other, HOST:PID
        def host
          worker[0...(worker.index(":#{pid}") || worker.size)].to_s
        end

        # @return [String] how ids of workers in that process begin
        def worker_prefix
          "#{host}:#{pid}:"
        end
      end

      class << self
        # Notes the id of the worker that runs in this process; a forked child is not that worker.
        def worker=(id)
          @worker = [Native.pid, id]
          @owner = nil
        end

        # That worker has unregistered: leases that this process takes from now on are not the worker's. Leases of a
        # worker that is not registered count as lost.
        def forget_worker(id)
          self.worker = nil if @worker == [Native.pid, id]
        end

        # @return [String] this process as an owner of leases
        def owner
          pid = Native.pid
          known, text = @owner
          return text if text && known == pid

          known, worker = @worker
          worker = "#{hostname}:#{pid}" unless worker && known == pid
          text = "#{pid}@#{start_of(pid)}@#{worker}"
          @owner = [pid, text]
          text
        end

        # @return [Owner]
        def parse(owner)
          pid, start, worker = owner.split('@', 3)
          Owner.new(pid.to_i, start.to_s, worker.to_s)
        end

        def hostname
          @hostname ||= Socket.gethostname
        end

        # @return [Boolean] whether an owner on this host still runs
        def running?(owner)
          Process.kill(0, owner.pid)
          start = start_of(owner.pid)
          start.empty? || owner.start.empty? || (start == owner.start && !zombie?(owner.pid))
        rescue Errno::ESRCH
          false
        rescue Errno::EPERM
          true
        end

        # @return [Boolean] whether another process has the pid of an owner on this host
        def reused?(owner)
          start = start_of(owner.pid)
          !start.empty? && !owner.start.empty? && start != owner.start
        end

        # @param worker [Resque::Worker] as its id tells of it
        # @return [Boolean] whether it is of this host and its process lives; false where another process has its pid
        def worker_lives?(worker)
          return false unless worker.hostname == hostname

          running?(Owner.new(worker.pid.to_i, '', worker.id)) && !zombie?(worker.pid) && !younger?(worker)
        end

        private

        # Seconds by which the clock of a host may have been set since.
        LEEWAY = 60
        TICKS = Etc.sysconf(Etc::SC_CLK_TCK)
        private_constant :LEEWAY, :TICKS

        # The process began after the worker did: it has got the pid of one that is gone.
        def younger?(worker)
          boot = File.read('/proc/stat')[/^btime (\d+)/, 1]
          start = start_of(worker.pid)
          started = worker.started
          return false unless boot && !start.empty? && started

          boot.to_i + (start.to_i / TICKS) > Time.parse(started.to_s).to_i + LEEWAY
        rescue SystemCallError, ArgumentError
          false
        end

        # @return [String] clock ticks since the host's boot; empty where the system does not tell
        def start_of(pid)
          stat(pid)[19].to_s
        end

        def zombie?(pid)
          stat(pid)[0] == 'Z'
        end

        # The fields after the command, which is in parentheses and may hold anything.
        def stat(pid)
          File.read("/proc/#{pid}/stat").rpartition(')').last.split
        rescue SystemCallError
          []
        end
      end
    end
  end
end
