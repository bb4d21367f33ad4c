# frozen_string_literal: true

module Bench
  module Contending
    # Fills queues, and puts tenants at their cap.
    module Loads
      RECORDS = [1, 2, 3].freeze

      # Job by job, as an application does it.
      def enqueue(count:, tenants:)
        Stopwatch.time do
          count.times { |n| Resque.enqueue(SyncJob, account_id: n % tenants, record_ids: RECORDS) }
        end
      end

      # The fastest way to enqueue many jobs.
      def bulk(count:, tenants:)
        return enqueue(count: count, tenants: tenants) unless NAME == :ours

        list = Array.new(count) { |n| [{ account_id: n % tenants, record_ids: RECORDS }] }
        Stopwatch.time { Resque::FairShare.enqueue_all(SyncJob, list) }
      end

      # Untimed. `skew` is the first tenant's share of the jobs.
      def load(count:, tenants:, skew: 0, queue: 'default', most: nil)
        Stopwatch.untimed do
          first = (count * skew).to_i
          ids = Array.new(count) { |n| n < first ? 0 : n % (most || tenants) }.shuffle(random: Random.new(1))
          ids.each_slice(10_000) { |slice| fill(queue, slice) }
          nil
        end
      end

      def enqueue_plain_queue(count:)
        Stopwatch.time do
          count.times { |n| Resque.enqueue(PlainJob, account_id: n, record_ids: RECORDS) }
          count.times { Resque::Job.reserve('plain') or raise 'no job' }
        end
      end

      # Each payload has `bytes` bytes.
      def enqueue_active_job(count:, tenants:, bytes:)
        wrapper = ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper
        Stopwatch.time { count.times { |n| Resque.enqueue_to('default', wrapper, active_job(n, n % tenants, bytes)) } }
      end

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

      def fill(queue, ids)
        return fill_ours(queue, ids) if NAME == :ours

        payloads = ids.map { |id| payload(id) }
        Resque.redis.sadd('queues', [queue])
        Resque.redis.rpush("queue:#{queue}", payloads)
        fill_old(queue, ids.zip(payloads).group_by(&:first)) if NAME == :old
      end

      def fill_ours(queue, ids)
        Resque::FairShare.enqueue_all(SyncJob, ids.map { |id| [{ account_id: id, record_ids: RECORDS }] }, queue: queue)
      end

      # 0.1.0's hooks write this in addition, in three round trips for each job.
      def fill_old(queue, groups)
        Resque.redis.pipelined do |pipe|
          groups.each do |id, pairs|
            pipe.rpush("fair_share:#{queue}:sub:#{id}", pairs.map(&:last))
            pipe.zadd("fair_share:#{queue}:partitions", 0, id.to_s, nx: true)
            pipe.incrby("fair_share:#{queue}:#{id}:pending", pairs.size)
          end
        end
      end

      def payload(id)
        Resque.encode(class: 'SyncJob', args: [{ account_id: id, record_ids: RECORDS }])
      end

      def active_job(number, tenant, bytes)
        data = { 'job_class' => 'ActiveSyncJob', 'job_id' => format('%036d', number), 'provider_job_id' => nil,
                 'queue_name' => 'default', 'priority' => nil, 'arguments' => [{ 'account_id' => tenant }],
                 'executions' => 0, 'exception_executions' => {}, 'locale' => 'en', 'timezone' => 'UTC',
                 'enqueued_at' => '2026-01-01T00:00:00.000000000Z', 'scheduled_at' => nil, 'note' => '' }
        wrapped = { class: 'ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper', args: [data] }
        data.merge('note' => 'x' * [bytes - Resque.encode(wrapped).bytesize, 0].max)
      end
    end
  end
end
