# frozen_string_literal: true

module Resque
  module JobChain
    # The end of a step, which moves its chain on. Each transition is one script that also enqueues the next jobs. It is
    # computed from a snapshot; the script checks that the snapshot is current, and the transition is computed again
    # where it is not.
    #
    # A worker's job does this for itself. Called by hand, it names a step by its index, as in resque-job-chain 0.1.0.
    # @example
    #   Resque::JobChain::StepEnd.new('order-7', 0).after_step # => "advanced"
    class StepEnd
      include StepFailure

      # Above so many outdated snapshots something else must be wrong.
      MOST_ATTEMPTS = 1000
      # A script's reply: result, milliseconds since the chain's start where the chain has ended, pending counts.
      Reply = Struct.new(:result, :duration, :pendings)
      private_constant :MOST_ATTEMPTS, :Reply

      # @param chain_id [String, Symbol, Integer]
      # @param step_index [Integer, String]
      # @param run [String, nil] the chain's run, from the job's payload; nil: the step's index alone counts
      # @param token [Integer, nil] of the step's job, from its payload
      # @param snapshot [Snapshot, nil] the chain as already read
      def initialize(chain_id, step_index, run: nil, token: nil, snapshot: nil)
        @chain_id = chain_id.to_s
        @step_index = step_index.to_i
        @run = run
        @token = token
        @snapshot = snapshot
        @prepared = {}
      end

      # The step was performed.
      # @return [String] 'advanced', 'completed' (the chain), 'counted' (others of its group run, or the chain is paused
      #   or failed), 'broken' (the next step can't be started), 'resumed' (a failed chain goes on) or 'stale'
      # @raise [Contention] when the chain changes at each attempt
      def after_step
        end_well(true)
      end

      # The step failed.
      # @param error [Exception]
      # @return [String] 'aborted', 'exhausted', 'retrying:N' (N attempts have failed), 'skipped', 'counted' or 'stale'
      # @raise [Contention] when the chain changes at each attempt
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
        snapshot = @snapshot ||= waiting { Snapshot.of(@chain_id, @step_index) }
        snapshot if snapshot && (@run.nil? || @run == snapshot.run)
      end

      # @raise [MissingChain] never inside a {#transition}, which looks first
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

      # @return [Array(Delivery, nil), Array(nil, Obstacle), nil] nil: this end starts nothing
      def prepare_next
        return if snapshot.left > 1 || snapshot.last_group? || %w[paused cancelled].include?(snapshot.status)

        prepare(snapshot.next_rows.to_h { |row| [row, row.token] })
      end

      # Hooks run once, also where the chain has changed and the jobs are made again.
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
          reply = waiting { yield native, connection, fence }
          result, duration, pendings = reply
          return Reply.new(result == 'missing' ? 'stale' : result, duration, pendings) unless result == 'again'

          @snapshot = nil
        end
        raise Contention, "chain #{@chain_id} has changed #{MOST_ATTEMPTS} times while its step #{@step_index} ended"
      end

      # The step's work is done, and should not be done twice. A transition is fenced, so that it may be tried again.
      def waiting(&)
        FairShare::Outage.wait_out("chain #{@chain_id} (the end of step #{@step_index})", &)
      end

      def strategy(row)
        own = row.definition['on_failure']
        own ? own.to_sym : snapshot.strategy || JobChain.configuration.default_strategy
      end

      def stale
        Observable.notify(:step_stale, @chain_id, @step_index)
        'stale'
      end
    end
  end
end
