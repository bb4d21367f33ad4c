# frozen_string_literal: true

module Resque
  module JobChain
    # What an operator does to a chain. Each gives false where there is no such chain, or its status does not allow it.
    # @private
    module Control
      MOST_ATTEMPTS = 100

      module_function

      def cancel(chain_id)
        halt(chain_id, 'cancelled', :chain_cancelled)
      end

      def pause(chain_id)
        halt(chain_id, 'paused', :chain_paused)
      end

      def resume(chain_id)
        restart(chain_id, 'paused', :chain_resumed) { |snapshot| snapshot.rows.select { |row| row.status == 'due' } }
      end

      def retry_failed(chain_id)
        restart(chain_id, 'failed', :chain_resumed) do |snapshot|
          snapshot.rows.reject { |row| row.ended_well? || row.status == 'running' }
        end
      end

      # @param steps [Hash{Integer => Integer}] index and token of the steps whose job is nowhere
      def recover(chain_id, steps)
        restart(chain_id, 'running', :chain_recovered) do |snapshot|
          snapshot.rows.select { |row| row.status == 'running' && steps[row.index] == row.token }
        end
      end

      def delete(chain_id)
        Persistence.call(chain_id) { |native, connection| native.delete(connection) } == 1
      end

      def halt(chain_id, status, event)
        snapshot = Snapshot.of(chain_id) or return false
        changed = Persistence.call(chain_id) do |native, connection|
          native.halt(connection, snapshot.run, JobChain.ttl, JobChain.fresh_name, status)
        end
        Observable.notify(event, chain_id) if changed == 1
        changed == 1
      end

      # @yieldparam snapshot [Snapshot]
      # @yieldreturn [Array<Snapshot::Row>] the steps to start again
      def restart(chain_id, status, event)
        request = JobChain.fresh_name
        MOST_ATTEMPTS.times do
          snapshot = Snapshot.of(chain_id)
          return false unless snapshot && snapshot.status == status

          rows = yield(snapshot)
          return false if rows.empty? && status == 'running'

          result = Restart.new(chain_id, snapshot, rows).perform(request, event)
          return result == 'restarted' unless result == 'again'
        end
        raise Contention, "chain #{chain_id} has changed #{MOST_ATTEMPTS} times while it was to go on"
      end
    end

    # Steps of a chain that start again, or the next group where nothing is left of the present one.
    # @private
    class Restart
      # @param rows [Array<Snapshot::Row>]
      def initialize(chain_id, snapshot, rows)
        @chain_id = chain_id
        @snapshot = snapshot
        @enters = rows.empty? && snapshot.left.zero?
        @rows = @enters ? snapshot.next_rows : rows
      end

      # @param request [String] names this call, for the case that its reply gets lost
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

      # What is wrong may be wrong with the caller's process only: then the chain is left as it is.
      # @return [Array(Delivery, nil), Array(nil, Obstacle)] the obstacle is a veto
      def prepare
        # Each job of a step has a token of its own; a step that never had one starts with the first.
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
