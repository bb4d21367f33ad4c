# frozen_string_literal: true

module Resque
  module FairShare
    # How jobs get into a queue's partitions, and out again in fair turns.
    # @private
    module Dispatch
      # For how long a process trusts what it knows of a queue that has fair-share state, or had it before: seconds. It
      # never looks at a queue that it has not seen fair: a ticket tells, and a worker looks when it starts.
      FAIR_FOR = 5
      PLAIN_FOR = 60
      # Passes over the head of the main list in one reserve.
      MOST_PASSES = 1000
      # That a mend puts back.
      TICKETS_A_CALL = 1000

      # Puts a job into its partition.
      # @param payload [String] as Resque encoded it
      # @param partition [String, nil] its id; nil: the lane of the jobs that have none
      # @return [Boolean] false where a job without partition went into the main list, as stock Resque has it
      def enqueue(payload, partition)
        if partition && legacy?
          pending = @native.enqueue_plain(@connection, payload, partition)
        else
          pending = @native.enqueue(@connection, payload, partition, weight_of(partition), cap)
          note(!pending.nil?)
        end
        Gauges.emit(name, partition, pending: pending) if pending
        !pending.nil?
      end

      # @param jobs [Array<Array(String, String, Float)>] payload and partition of each, weight where one is configured
      # @return [Integer] how many
      def enqueue_all(jobs)
        return jobs.each { |payload, partition| enqueue(payload, partition) }.size if legacy?

        note(true)
        counts = @native.enqueue_all(@connection, jobs, cap)
        jobs.zip(counts).to_h { |(_, partition), pending| [partition, pending] }
            .each { |partition, pending| Gauges.emit(name, partition, pending: pending.to_i) }
        counts.size
      end

      # Takes what is next in the main list, as Resque does.
      # @yieldreturn [String, nil] of Resque's own pop, where the core has no open connection
      # @return [String, nil] a payload, or a ticket
      def pop
        popped = @native.pop(@connection)
        return yield if popped == false

        popped #: String?
      end

      # Takes the next job in a fair turn.
      # @param ticket_given [Boolean] the caller has popped a ticket from the main list
      # @return [Lease, nil, :plain] `:plain` where the queue has no fair-share state, so that stock's pop is right
      def reserve(ticket_given: false) # rubocop:disable Metrics -- a branch for each reply
        release_again unless @unreleased.empty?
        MOST_PASSES.times do
          reply = @native.reserve(@connection, ProcessIdentity.owner, ticket_given, cap, charge)
          ticket_given = false
          return scan_or_nothing if reply.first != :job && legacy?

          note(reply.first != :plain)
          case reply
          in [:job, *]
            lease = lease_from(reply)
            return lease if lease
          in [:nothing, reconcile] then return unless reconcile && reconcile_quietly.positive?
          in [:plain] then return :plain
          in [:adopt, elements] then adopt(elements)
          in [:gone, payload] then report_gone(payload)
          else raise ProtocolError, "reserve answered #{reply.inspect[0, 200]}"
          end
        end
        nil
      end

      # One that was interrupted, or failed, is made good by the next reserve of this process: its lease would keep the
      # slot as long as the process lives.
      # @return [Boolean] whether the lease was still there
      def release(lease_id)
        ended(lease_id) { @native.release(@connection, lease_id, cap, charge) }
      end

      # As {#release}, with what Resque writes when a worker is done with a job.
      # @param worker [String] id of the worker, whose record goes
      # @param counters [Array<Array(String, Integer)>] Resque's counters, and by how much each grows
      # @return [Boolean] whether the lease was still there
      def done(lease_id, worker, counters)
        ended(lease_id) { @native.done(@connection, lease_id, cap, charge, worker, counters) }
      end

      # The next reserve of this process gets that job.
      def give_back(lease_id)
        @native.give_back(lease_id)
      end

      # Ends the lease of an owner that is gone.
      # @param worker [String] id of the worker whose record says whether the job had started
      # @return [Boolean] whether the lease was still there
      def recover(lease_id, worker)
        status, partition, pending, in_flight = @native.recover(@connection, lease_id, worker, cap, charge)
        return false if status == :gone

        counts = status == :requeued ? { pending: pending, in_flight: in_flight } : { in_flight: in_flight }
        Gauges.emit(name, partition, **counts)
        true
      end

      # Brings the queue back in line with its lists and leases, a page at a time; what it keeps for its turns goes
      # where nothing waits or runs any more.
      # @param pages [Integer] at the most; a next call goes on behind them
      def mend(pages)
        ends = 0
        lost = false
        pages.times do
          ended, tickets, lost = @native.mend(@connection, cap)
          ends += 1 if ended
          # There are two, and the first may have begun in its middle.
          break if ends >= 3 && tickets < TICKETS_A_CALL
        end
        reindex if lost
      end

      # One page of it does where something was removed.
      def sweep
        mend(1)
      end

      # Whether jobs without partition belong into the lane. Asks Redis when the last answer is too old; a queue that is
      # new to this process is taken as plain until then.
      def lane?
        return false if legacy?

        trusted_until = @trusted_until
        look if trusted_until && now > trusted_until
        @fair
      end

      # Whether a pop goes by the scripts.
      def fair?
        legacy? || lane?
      end

      # @return [Boolean] whether the queue has fair-share state now
      def look
        note(@native.fair?(@connection))
      end

      # Told by somebody who has looked.
      def seen_fair
        note(true)
      end

      # Routes elements at the head of the main list.
      # @return [Array(Integer, Integer)] looked at, adopted
      def adopt(elements, rotate: false, &route)
        return [0, 0] if elements.empty?

        route ||= method(:route)
        routes = elements.map { |element| element == TICKET ? nil : route.call(element) }
        looked_at, adopted, pending = @native.adopt(@connection, elements, routes, rotate, cap)
        Gauges.emit_pending(name, pending)
        [looked_at, adopted]
      end

      # Routes the whole main list, as it is now, in batches.
      # @yieldparam moved [Integer] so far
      # @return [Integer] jobs moved
      def migrate(batch_size, route)
        left = Resque.data_store.queue_size(name)
        moved = 0
        while left.positive?
          elements = @native.main_elements(@connection, 0, [batch_size, left].min)
          break if elements.empty?

          looked_at, adopted = adopt(elements, rotate: true, &route)
          left -= looked_at
          moved += adopted
          yield moved if block_given?
        end
        note(true)
        moved
      end

      # @yieldparam moved [Integer] so far
      # @return [Integer] jobs moved
      def rollback(batch_size)
        moved = 0
        loop do
          batch, gone, pending = @native.rollback(@connection, batch_size)
          Gauges.emit_pending(name, pending)
          gone.each { |payload| report_gone(payload) }
          moved += batch
          yield moved if block_given?
          break if batch + gone.size < batch_size
        end
        look
        moved
      end

      # @return [Array(String, Float), Array(nil, nil)] partition and weight of a payload that somebody else pushed
      def route(payload)
        partition = partition_of(payload)
        [partition, weight_of(partition)]
      end

      # A payload that stock's pop took from a queue that was thought plain: a fair job takes its turn, under its cap.
      # @return [Boolean] whether it waits in its partition now
      def take_in(payload)
        partition = partition_of(payload)
        !partition.nil? && enqueue(payload, partition)
      end

      private

      def ended(lease_id)
        answered = false
        partition, in_flight = yield
        answered = true
        Gauges.emit(name, partition, in_flight: in_flight) if in_flight
        !in_flight.nil?
      ensure
        @unreleased << [Native.pid, lease_id] unless answered
      end

      def release_again
        while (pid, lease_id = @unreleased.shift)
          release(lease_id) if pid == Native.pid
        end
      rescue ::Redis::CommandError => e
        FairShare.logger.error("resque-fair-share: could not release a lease of queue #{name}: #{e.message}")
      end

      # An index was evicted, or deleted by hand: the names of the lists tell which partitions it had.
      def reindex
        FairShare.logger.error("resque-fair-share: queue #{name} has lost an index in Redis; it is built anew")
        cursor = 0
        loop do
          cursor, partitions = @native.lists(@connection, cursor)
          @native.reindex(@connection, partitions, cursor.zero?, cap)
          break if cursor.zero?
        end
      end

      def partition_of(payload)
        klass = Resolver.fair_class(Native.job_class(payload))
        klass && Resolver.partition(klass, payload)
      rescue ArgumentError => e
        # It is queued already, so there is nobody to refuse it to: it runs, without a partition.
        FairShare.logger.warn("resque-fair-share: a job in queue #{name} goes without partition: #{e.message}")
        nil
      end

      def legacy?
        FairShare.configuration.dequeue_strategy == :legacy_scan
      end

      def weight_of(partition)
        partition && FairShare.configuration.weight_of(name, partition)
      end

      def note(fair)
        return false unless fair || @trusted_until

        @trusted_until = now + (fair ? FAIR_FOR : PLAIN_FOR)
        @fair = fair
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      def lease_from(job)
        _, reconcile, id, payload, readable, partition, pending, in_flight = job
        lease = Lease.new(self, id, payload)
        interrupted = true
        Gauges.emit(name, partition, pending: pending, in_flight: in_flight)
        reconcile_quietly if reconcile
        interrupted = false
        return lease if readable

        lease.fail(MalformedPayload.new("queue #{name} held #{payload.inspect[0, 200]}, which is no job"))
        nil
      ensure
        # By a Timeout or a kill, which no rescue sees.
        lease.give_back if interrupted && lease
      end

      # Not run, since it may have run; and not passed over in silence.
      def report_gone(payload)
        error = CopyGone.new("a job that resque-fair-share 0.1.0 wrote into queue #{name} is not run: its copy in " \
                             'the main list is gone, so it has run, or was dequeued; retry it if you know better')
        shown = payload.dup.force_encoding(Encoding::UTF_8).scrub
        Resque::Failure.create(payload: decode(shown), exception: error, worker: ProcessIdentity.owner, queue: name)
      end

      # The pick of dequeue_strategy = :legacy_scan, when no job waits in a partition that may run.
      def scan_or_nothing # rubocop:disable Metrics/CyclomaticComplexity -- a branch for each reply
        MOST_PASSES.times do
          elements = @native.main_elements(@connection, 0, FairShare.configuration.scan_size)
          return if elements.empty?

          routes = elements.map { |element| element == TICKET ? nil : route(element) }
          reply = @native.scan(@connection, ProcessIdentity.owner, elements, routes, cap, charge)
          case reply
          in [:nothing, *] then return
          in [:job, *]
            lease = lease_from(reply)
            return lease if lease
          in [:adopt, *] then next # The list has changed.
          else raise ProtocolError, "scan answered #{reply.inspect[0, 200]}"
          end
        end
        nil
      end
    end
  end
end
