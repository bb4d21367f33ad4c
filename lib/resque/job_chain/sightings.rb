# frozen_string_literal: true

require 'time'

module Resque
  module JobChain
    # Every place that can hold a step's job. They are read in the order in which a job passes them (delayed, queued,
    # running, failed), so a job that moves meanwhile is seen.
    # @private
    class Sightings
      # @param wanted [Hash{String => Object}] the chains to look for, by id
      def initialize(wanted)
        @wanted = wanted
      end

      # @yieldparam id [String]
      # @yieldparam step [Integer]
      # @yieldparam token [Integer, nil] nil: the job has lost it
      # @yieldparam run [String, nil] of the chain; nil with the token
      # @yieldparam failed_at [Time, nil] where the job is in the failed list
      def each(&)
        %i[each_delayed each_queued each_running].each do |place|
          send(place) { |payload| see(payload, &) }
        end
        each_failed { |payload, failed_at| see(payload, failed_at, &) }
      end

      private

      def see(payload, failed_at = nil)
        return unless payload.is_a?(Hash)

        id, step, token, run = identity(payload)
        yield id, step, token, failed_at, run if id && step && @wanted.key?(id)
      end

      def identity(payload)
        case payload[Delivery::KEY]
        in [String => id, String => run, Integer => step, Integer => token] then [id, step, token, run]
        else payload['args'].is_a?(Array) ? RunningStep.from_args(payload['args']) : nil
        end
      end

      # Skips the parsing of payloads that name no chain.
      def decode(text)
        return unless text.include?('_chain_id') || text.include?(Delivery::KEY)

        Resque.decode(text)
      rescue Resque::Helpers::DecodeException
        nil
      end

      # resque-scheduler's jobs. It takes them from the head, so pages are counted from the tail.
      def each_delayed
        Pages.each(->(from) { Resque.redis.zrange('delayed_queue_schedule', from, from + Pages::SIZE - 1) }) do |time|
          Pages.each(->(from) { Resque.redis.lrange("delayed:#{time}", -from - Pages::SIZE, -from - 1) }) do |item|
            yield decode(item)
          end
        end
      end

      # A queue whose name is no UTF-8 has no job that a worker could have taken.
      def queues
        Resque.queues.select { |name| FairShare::Check.text?(name) }
      end

      def each_queued
        queues.each do |name|
          FairShare.queue(name).backlog.each_payload_from_tail { |payload| yield decode(payload) }
        end
      end

      # Jobs with a lease, then jobs in a worker's record.
      def each_running
        queues.each do |name|
          FairShare.queue(name).leases.each { |_id, _partition, _started, _owner, payload| yield decode(payload) }
        end
        store = Resque.data_store #: untyped
        ids = store.worker_ids
        records = ids.empty? ? {} : store.workers_map(ids)
        records.each do |key, text|
          payload = text && Damage.skip("the record #{key}") { Resque.decode(text)['payload'] }
          yield payload if payload
        end
      end

      # A job that was requeued from there is seen at its new place.
      def each_failed
        Array(Resque::Failure.queues).each do |name|
          Pages.each(->(from) { failed_page(from, name) }) do |row|
            next if !row.is_a?(Hash) || row['retried_at']

            yield row['payload'], time(row['failed_at'])
          end
        end
      end

      # An entry that can't be read is nil: the page must not be shorter for it.
      def failed_page(from, name)
        [Resque::Failure.all(from, Pages::SIZE, name)].flatten
      rescue Resque::Helpers::DecodeException
        list = Resque::Failure #: untyped
        size = [list.count(name) - from, Pages::SIZE].min
        (from...(from + size)).map do |at|
          Damage.skip("entry #{at} of the failed list #{name}") { Resque::Failure.all(at, 1, name) }
        end
      end

      def time(text)
        Time.parse(text.to_s)
      rescue ArgumentError
        nil
      end
    end
  end
end
