# frozen_string_literal: true

module Bench
  module Contending
    # Puts tenants at their cap.
    module Caps
      # Each of the first `tenants` has a running job more than its cap allows.
      def cap(tenants:)
        Stopwatch.untimed do
          case NAME
          when :ours then tenants.times { |id| cap_ours(id) }
          when :old then tenants.times { |id| cap_old(id) }
          end
          nil
        end
      end

      private

      def cap_ours(id)
        Resque.enqueue(SyncJob, account_id: id, record_ids: Loads::RECORDS)
        Resque::Job.reserve(Single::QUEUE) or raise 'no job'
        Resque::FairShare.queue(Single::QUEUE).partition(id).set(max_in_flight: 1)
      end

      # As if 50 of its jobs, the default cap, were running.
      def cap_old(id)
        Resque.redis.set("fair_share:default:#{id}:in_flight", 50)
        Resque.redis.zadd('fair_share:default:partitions', 50, id.to_s)
      end
    end
  end
end
