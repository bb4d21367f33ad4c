# frozen_string_literal: true

module Resque
  module JobChain
    # What follows from the end of a step. Each transition is one script, which also enqueues what comes next; it is
    # computed from a snapshot, checked in the script, and tried again when the chain has changed meanwhile.
    class Executor
      # Seconds between attempts while Redis can't be reached: the step's work is done, and should not be done again.
      PATIENCE = [0.1, 0.3, 1.0, 2.0, 3.0].freeze
      # How often a snapshot may be outdated by others before something must be wrong.
      MOST_ATTEMPTS = 1000

      # What a script answers: result, milliseconds since the chain's start where it has ended, pending counts.
      Reply = Struct.new(:result, :duration, :pendings)

      # Redis can't be reached: what was asked may be asked again.
      # @private
      def self.patiently
        pauses = PATIENCE.dup
        begin
          yield
        rescue ::Redis::BaseConnectionError
          pause = pauses.shift or raise
          sleep(pause)
          retry
        end
      end

      # @param chain_id [String]
      # @param step_index [Integer]
      # @param run [String, nil] what the job's payload says; nil: it is judged by its step index
      # @param token [Integer, nil] of the step's job
      # @param snapshot [Snapshot, nil] what is known already
      def initialize(chain_id, step_index, run: nil, token: nil, snapshot: nil)
        @chain_id = chain_id.to_s
        @step_index = step_index.to_i
        @run = run
        @token = token
        @snapshot = snapshot
        @prepared = {}
      end

      # The step has been performed.
      # @return [String] 'advanced', 'completed' (the chain), 'counted' (others of its group run, or the chain is paused
      #   or failed), 'broken' (the next step can't be started), 'resumed' (a failed chain goes on) or 'stale'
      def after_step
        end_well(true)
      end

      # The step has failed.
      # @return [String] 'aborted', 'exhausted', 'retrying:N', 'skipped', 'counted' or 'stale'
      def on_failure(error)
        row = known&.rows&.first
        return stale unless row

        case strategy(row)
        when :skip then skip
        when :retry then row.attempts + 1 < max_attempts(row) ? retry_step(error) : fail_step(error, 'exhausted')
        else fail_step(error, 'aborted')
        end
      end

      private

      # @return [Snapshot, nil] nil where there is no such chain, or it is another run
      def known
        snapshot = @snapshot ||= Executor.patiently { Snapshot.of(@chain_id, @step_index) }
        snapshot if snapshot && (@run.nil? || @run == snapshot.run)
      end

      # @raise [MissingChain] never where {#transition} has looked
      def snapshot
        known or raise MissingChain, "there is no chain #{@chain_id.inspect} (any more)"
      end

      def end_well(completed)
        delivery = nil #: Delivery?
        obstacle = nil #: Obstacle?
        reply = transition do |native, connection, fence|
          delivery, obstacle = prepare_next
          native.advance(connection, fence, completed, following(delivery, obstacle))
        end
        return stale if reply.result == 'stale'

        Observable.notify(completed ? :step_completed : :step_skipped, @chain_id, @step_index)
        tell_chain(reply, obstacle)
        delivery&.enqueued(reply.pendings) if %w[advanced resumed].include?(reply.result)
        reply.result
      end

      def skip
        result = end_well(false)
        result == 'stale' ? result : 'skipped'
      end

      def following(delivery, obstacle)
        revision = delivery || obstacle ? snapshot.revision : ''
        size = [snapshot.next_rows.size, 1].max
        [revision, snapshot.next_first, size, obstacle&.to_a, delivery ? delivery.jobs : []]
      end

      def tell_chain(reply, obstacle)
        case reply.result
        when 'completed' then Observable.notify(:chain_completed, @chain_id)
        when 'resumed' then Observable.notify(:chain_resumed, @chain_id)
        when 'broken' then obstacle&.notify(@chain_id)
        else return
        end
        Observable.duration(:chain_duration, reply.duration) unless reply.duration.negative?
      end

      # @return [Array(Delivery, nil), Array(nil, Obstacle), nil] nil: nothing is started by this end
      def prepare_next
        return if snapshot.left > 1 || snapshot.last_group? || %w[paused cancelled].include?(snapshot.status)

        prepare(snapshot.next_rows.to_h { |row| [row, row.token] })
      end

      def retry_step(error)
        delivery = nil #: Delivery?
        obstacle = nil #: Obstacle?
        reply = transition do |native, connection, fence|
          delivery, obstacle = prepare_retry
          next native.fail(connection, fence, *obstacle.as_failure) if obstacle # steep:ignore

          native.retry(connection, fence, snapshot.revision, delivery.jobs.fetch(0)) # steep:ignore NoMethod
        end
        return failed(reply, 'aborted', obstacle) unless reply.result == 'retrying'

        retried(error, delivery, reply.pendings.to_a)
      end

      def prepare_retry
        row = snapshot.rows.first
        prepare({ row => row.token + 1 }, delay: RetryDelay.after(row.definition['retry_delay'], row.attempts + 1))
      end

      # @param pendings [Array<Integer>] empty where the chain is paused
      def retried(error, delivery, pendings)
        attempts = snapshot.rows.first.attempts + 1
        Observable.notify(:step_retrying, @chain_id, @step_index, attempts)
        Observable.report(:warn, "chain #{@chain_id} tries step #{@step_index} again after #{error.class}: " \
                                 "#{JobChain.message_of(error)}")
        delivery&.enqueued(pendings) unless pendings.empty?
        "retrying:#{attempts}"
      end

      def fail_step(error, word)
        reply = transition do |native, connection, fence|
          native.fail(connection, fence, false, JobChain.message_of(error), error.class.to_s)
        end
        failed(reply, word)
      end

      def failed(reply, word, obstacle = nil)
        return stale if reply.result == 'stale'
        return reply.result unless reply.result == 'failed'

        obstacle ? obstacle.notify(@chain_id) : Observable.notify(:chain_failed, @chain_id, @step_index)
        Observable.duration(:chain_duration, reply.duration) unless reply.duration.negative?
        word
      end

      # When it is asked again because the chain has changed, hooks are not run again.
      def prepare(tokens, delay: nil)
        key = tokens.keys.map(&:index)
        known = @prepared[key]
        return [nil, known] if known.is_a?(Obstacle)

        delivery, obstacle = Delivery.attempt(@chain_id, snapshot, tokens, delay: delay, hooks: known.nil?)
        @prepared[key] = obstacle || true
        [delivery, obstacle]
      end

      # @return [Reply] with 'stale' where the chain is missing, or is another run
      def transition
        request = JobChain.fresh_name
        MOST_ATTEMPTS.times do
          return Reply.new('stale', -1, []) unless known

          fence = [snapshot.run, JobChain.ttl, request, @step_index, @token] #: FairShare::Native::Chain::fence
          native, connection = snapshot.handle
          reply = Executor.patiently { yield native, connection, fence }
          result, duration, pendings = reply
          return Reply.new(result == 'missing' ? 'stale' : result, duration, pendings) unless result == 'again'

          @snapshot = nil
        end
        raise Contention, "chain #{@chain_id} has changed #{MOST_ATTEMPTS} times while its step #{@step_index} ended"
      end

      def strategy(row)
        own = row.definition['on_failure']
        own ? own.to_sym : snapshot.strategy || JobChain.configuration.default_strategy
      end

      def max_attempts(row)
        row.definition['max_attempts'] || JobChain.configuration.default_max_attempts
      end

      def stale
        Observable.notify(:step_stale, @chain_id, @step_index)
        'stale'
      end
    end
  end
end
