# frozen_string_literal: true

module Resque
  module JobChain
    # A new start of a chain's steps, or of the next group where the present one has ended.
    # @private
    class Restart
      # @param rows [Array<Snapshot::Row>] the steps; none where the present group has ended
      def initialize(chain_id, snapshot, rows)
        @chain_id = chain_id
        @snapshot = snapshot
        @enters = rows.empty? && snapshot.left.zero?
        @rows = @enters ? snapshot.next_rows : rows
      end

      # @param request [String] names this call, in case its reply gets lost
      # @return [String] 'restarted', 'broken' (a hook vetoed a step), 'again' (the chain has changed) or 'refused'
      # @raise [StepNotStartable]
      def perform(request, event)
        delivery, obstacle = prepare
        result, _duration, pendings = call(request, delivery, obstacle)
        case result
        when 'restarted' then restarted(event, delivery, pendings)
        when 'broken' then obstacle&.notify(@chain_id)
        end
        result
      end

      private

      # The error may be in the caller's process only, so the chain is left as it is.
      # @return [Array(Delivery, nil), Array(nil, Obstacle)] the obstacle is a veto
      def prepare
        # Each job of a step has its own token; a step without an earlier job starts with the first token.
        tokens = @rows.to_h { |row| [row, row.status.empty? ? row.token : row.token + 1] }
        delivery, obstacle = Delivery.attempt(@chain_id, @snapshot, tokens)
        return [delivery, obstacle] unless obstacle && !obstacle.vetoed

        raise StepNotStartable, "chain #{@chain_id} was not changed: its step #{obstacle.step} can't be started from " \
                                "here: #{obstacle.error_class}: #{obstacle.message}"
      end

      def restarted(event, delivery, pendings)
        Observable.notify(event, @chain_id)
        delivery&.enqueued(pendings)
      end

      def call(request, delivery, obstacle)
        enters = [@snapshot.next_first, @rows.size] if @enters #: [Integer, Integer]?
        jobs = delivery ? delivery.jobs : []
        what = [@snapshot.status, @snapshot.revision, enters, obstacle&.to_a, jobs] #: FairShare::Native::Chain::restart
        Persistence.call(@chain_id) do |native, connection|
          native.restart(connection, @snapshot.run, JobChain.ttl, request, what)
        end
      end
    end
  end
end
