# frozen_string_literal: true

module Resque
  module JobChain
    # An operator's verbs on a chain. Each returns false where there is no such chain, or its status does not allow it.
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
  end
end
