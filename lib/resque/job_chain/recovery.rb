# frozen_string_literal: true

require 'time'

module Resque
  module JobChain
    # The search for steps that wait for a job which is nowhere: a worker was killed between its pop and its start, a
    # child left by `exit!`, a list was deleted by hand.
    # @private
    class Recovery
      # @param older_than [Numeric] seconds since the chain's last transition
      def initialize(older_than)
        @older_than = older_than
      end

      # @return [Array<String>] ids of the chains that go on
      def perform # rubocop:disable Metrics
        Adoption.perform_all
        @waiting = {}
        each_old_chain { |id| @waiting[id] = Damage.skip("chain #{id}") { running_steps(id) } || {} }
        return [] if nobody_waits?

        Sightings.new(@waiting).each do |id, step, token, failed_at, run|
          Damage.skip("chain #{id}") { strike(id, step, token, failed_at, run) }
        end
        return [] if nobody_waits?

        @waiting.filter_map { |id, steps| id if recovered?(id, steps.transform_values(&:first)) }
      end

      private

      def recovered?(id, tokens)
        Damage.skip("chain #{id}") { Control.recover(id, tokens) } || false
      rescue StepNotStartable => e
        Observable.report(:error, e.message)
        false
      end

      def nobody_waits?
        @waiting.reject! { |_, steps| steps.empty? }
        @waiting.empty?
      end

      # A chain's last transition can't be older than its start, by which the index is ordered.
      def each_old_chain
        seconds, microseconds = Resque.redis.time # Resque's own server_time has no fraction.
        latest = seconds + (microseconds / 1e6) - @older_than
        Pages.each(->(from) { started_before(latest, from) }) do |id, updated_at|
          yield id if updated_at && Damage.skip("chain #{id}") { Time.iso8601(updated_at).to_f <= latest }
        end
      end

      def started_before(latest, from) # rubocop:disable Metrics/AbcSize
        running = Persistence.indexes.fetch(:running)
        ids = Resque.redis.zrangebyscore(running, '-inf', (latest * 1000).floor, limit: [from, Pages::SIZE])
        redis = Resque.redis #: untyped
        states = ids.map { |id| Persistence.keys(id)[0] }
        ids.zip(Resque.redis.pipelined { |pipe| states.each { |key| pipe.hget(key, 'updated_at') } })
      rescue ::Redis::CommandError
        found = ids #: Array[String]
        found.map do |id|
          [id, Damage.skip("chain #{id}") { redis.hget(Persistence.keys(id)[0], 'updated_at') }]
        end
      end

      # @return [Hash{Integer => Array(Integer, String, String)}] token, start, run of the steps that should have a job
      def running_steps(id)
        snapshot = Snapshot.of(id)
        return {} unless snapshot && snapshot.status == 'running'

        rows = snapshot.rows.select { |row| row.status == 'running' }
        state = Persistence.load_state(id)
        rows.to_h { |row| [row.index, [row.token, state["step_started_at:#{row.index}"].to_s, snapshot.run]] }
      end

      # A job of an earlier run or attempt does not count.
      def strike(id, step, token, failed_at, run)
        current, started_at, current_run = @waiting.dig(id, step)
        return if current.nil? || (run && run != current_run)

        same = token ? token == current : failed_at.nil? || failed_at >= Time.iso8601(started_at)
        @waiting.fetch(id).delete(step) if same
      end
    end
  end
end
