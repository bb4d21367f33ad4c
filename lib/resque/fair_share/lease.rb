# frozen_string_literal: true

module Resque
  module FairShare
    # The right to run one job. It ends when the job has ended, however that ended.
    # @private
    class Lease
      # The top-level key of the payload in which the lease travels.
      KEY = 'fair_share_lease'

      class << self
        # @param job [Resque::Job]
        # @return [Lease, nil] the lease under which the job runs
        def of(job)
          return job.fair_share_lease if job.fair_share_lease

          id = job.payload[KEY] if job.payload.is_a?(Hash)
          new(Queue.current(job.queue), id, nil, nil) if id.is_a?(String)
        end

        # Notes what a worker of this process runs.
        def started(worker, lease)
          running[worker.to_s] = lease
        end

        # Noted until the block is done: a worker that could not say so says it again.
        # @yieldparam lease [Lease, nil] what the worker has run
        def ending(worker)
          id = worker.to_s
          result = yield running[id]
          running.delete(id)
          result
        end

        private

        def running
          @running ||= {}
        end
      end

      # @return [String]
      attr_reader :id
      # @return [String, nil] the payload that was popped, the lease's id in it; nil for a lease read from a payload
      attr_reader :payload

      # @param queue [Queue]
      # @param pid [Integer, nil] of the process that took it; nil: not known
      def initialize(queue, id, payload, pid = Native.pid)
        @queue = queue
        @id = id
        @payload = payload
        @pid = pid
      end

      # @return [Boolean] whether another process took it: this is a worker's child, and its parent releases it
      def inherited?
        !@pid.nil? && @pid != Native.pid
      end

      # Frees the slot. Harmless when called twice. A server that refuses the script does not stop who notes an end:
      # the next reserve of this process releases (see {Leases#release}).
      def release
        return if @released

        @queue.leases.release(@id)
        @released = true
      rescue ::Redis::CommandError => e
        Guard.log(:error, "resque-fair-share: could not release a lease of queue #{@queue.name}: #{e.message}")
      end

      # Resque's Redis can be swapped while a job runs.
      # @param redis [Object] what a data store was made with
      # @return [Boolean] whether the lease is in that Redis
      def in?(redis)
        Queue.of(redis, @queue.name).equal?(@queue)
      end

      # The worker is done with the job: as {#release}, with what Resque writes then.
      # @param redis [Object] what the data store that is told was made with
      # @param counters [Array<Array(String, Integer)>]
      # @return [Boolean] false where the release can't ride along: nothing was written
      def release_with(redis, worker, counters)
        return false if @released || !in?(redis)

        @queue.leases.done(@id, worker.to_s, counters)
        @released = true
        true
      end

      # The job never began: back to the head of its partition. A record that says otherwise is not asked.
      def put_back
        @queue.leases.recover(@id, '')
        @released = true
      end

      # The job could not be handed over: the next reserve of this process gets it.
      def give_back
        @queue.turns.give_back(@id)
      end

      # An entry that is no job ends in the failed list, once, and frees its slot.
      # @return [String] its payload
      def fail(exception)
        FailedList.add(@payload.to_s, exception, @queue.name)
        @payload.to_s
      ensure
        release
      end
    end
  end
end
