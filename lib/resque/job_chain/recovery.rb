# frozen_string_literal: true

module Resque
  module JobChain
    # A long list, read in pages.
    # @private
    module Pages
      SIZE = 1000

      # @param read [Proc] gives the page from an offset on
      def self.each(read, &)
        from = 0
        loop do
          page = read.call(from)
          page.each(&)
          break if page.size < SIZE

          from += SIZE
        end
      end
    end

    # Finds steps that wait for a job which is nowhere: a worker was killed between its pop and its start, a child left
    # by `exit!`, a list was deleted by hand.
    # @private
    class Recovery
      # @param older_than [Numeric] seconds since the chain's last transition
      def initialize(older_than)
        @older_than = older_than
      end

      # @return [Array<String>] ids of the chains that go on
      def perform
        Persistence.adopt_all
        @waiting = {}
        each_old_chain { |id| @waiting[id] = running_steps(id) }
        return [] if nobody_waits?

        Sightings.new(@waiting).each { |id, step, token, failed_at| strike(id, step, token, failed_at) }
        return [] if nobody_waits?

        @waiting.filter_map { |id, steps| id if recovered?(id, steps.transform_values(&:first)) }
      end

      private

      def recovered?(id, tokens)
        Control.recover(id, tokens)
      rescue StepNotStartable => e
        Observable.report(:error, e.message)
        false
      end

      def nobody_waits?
        @waiting.reject! { |_, steps| steps.empty? }
        @waiting.empty?
      end

      # A chain that was started later can't have waited so long.
      def each_old_chain
        seconds, microseconds = Resque.redis.time # Resque's own server_time has no fraction.
        latest = seconds + (microseconds / 1e6) - @older_than
        Pages.each(->(from) { started_before(latest, from) }) do |id, updated_at|
          yield id if updated_at && Time.iso8601(updated_at).to_f <= latest
        end
      end

      def started_before(latest, from)
        latest_score = (latest * 1000).floor
        ids = Resque.redis.zrangebyscore('job_chain:running', '-inf', latest_score, limit: [from, Pages::SIZE])
        ids.zip(Resque.redis.pipelined { |pipe| ids.each { |id| pipe.hget("job_chain:#{id}:state", 'updated_at') } })
      end

      # @return [Hash{Integer => Array(Integer, String)}] token and start of the steps that should have a job
      def running_steps(id)
        snapshot = Snapshot.of(id)
        return {} unless snapshot && snapshot.status == 'running'

        rows = snapshot.rows.select { |row| row.status == 'running' }
        state = Persistence.load_state(id)
        rows.to_h { |row| [row.index, [row.token, state["step_started_at:#{row.index}"].to_s]] }
      end

      # A job of an earlier attempt is not the one that is looked for.
      def strike(id, step, token, failed_at)
        current, started_at = @waiting.dig(id, step)
        return unless current

        same = token ? token == current : failed_at.nil? || failed_at >= Time.iso8601(started_at)
        @waiting.fetch(id).delete(step) if same
      end
    end

    # Everywhere a step's job can be, in the order in which jobs go: delayed, queued, running, failed. So one that moves
    # meanwhile is seen.
    # @private
    class Sightings
      def initialize(wanted)
        @wanted = wanted
      end

      # @yieldparam id [String]
      # @yieldparam step [Integer]
      # @yieldparam token [Integer, nil] nil: the job has lost it
      # @yieldparam failed_at [Time, nil] where it is in the failed list
      def each(&)
        %i[each_delayed each_queued each_running].each do |place|
          send(place) { |payload| see(payload, &) }
        end
        each_failed { |payload, failed_at| see(payload, failed_at, &) }
      end

      private

      def see(payload, failed_at = nil)
        return unless payload.is_a?(Hash)

        id, run_or_step, step, token = payload[Delivery::KEY]
        id, run_or_step = Execution.from_args(payload['args']) if id.nil? && payload['args'].is_a?(Array)
        return unless id && @wanted.key?(id)

        yield id, step || run_or_step, token, failed_at
      end

      # Only what names a chain is decoded.
      def decode(text)
        return unless text.include?('_chain_id') || text.include?(Delivery::KEY)

        Resque.decode(text)
      rescue Resque::Helpers::DecodeException
        nil
      end

      def each_delayed(&block)
        Pages.each(->(from) { Resque.redis.zrange('delayed_queue_schedule', from, from + Pages::SIZE - 1) }) do |time|
          each_from_tail("delayed:#{time}", &block)
        end
      end

      def each_queued(&)
        Resque.queues.each do |name|
          each_from_tail("queue:#{name}", &)
          FairShare.queue(name).each_page_of_partitions do |page|
            page.each { |partition| each_from_tail("fair_share:#{name}:sub:#{partition}", &) }
          end
        end
      end

      # What is popped from the head meanwhile doesn't move what is counted from the tail.
      def each_from_tail(key)
        Pages.each(->(from) { Resque.redis.lrange(key, -from - Pages::SIZE, -from - 1) }) do |element|
          yield decode(element.sub(/\A\h{11}/n, ''))
        end
      end

      # By lease, or by a worker's record.
      def each_running(&)
        Resque.queues.each do |name|
          FairShare.queue(name).each_lease { |lease| yield decode(lease.last) }
        end
        Resque::Worker.working.each { |worker| yield worker.job['payload'] }
      end

      # One that was requeued from there is seen where it is now.
      def each_failed
        Array(Resque::Failure.queues).each do |name|
          Pages.each(->(from) { [Resque::Failure.all(from, Pages::SIZE, name)].flatten }) do |row|
            next if row.nil? || row['retried_at']

            yield row['payload'], Time.parse(row['failed_at'])
          end
        end
      end
    end
  end
end
