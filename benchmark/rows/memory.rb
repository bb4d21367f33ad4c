# frozen_string_literal: true

require_relative '../row'

module Bench
  module Rows
    # Bytes of all keys. Jobs are enqueued one by one, as an application does it.
    class Memory < Row
      row 'memory'
      TENANTS = 1000
      # A list node of Redis has 8 KB: it holds 16 plain jobs of 500 bytes, or 15 fair ones.
      ACTIVE_JOBS = [500, 510].freeze

      def call
        [grown('memory', "Redis memory, #{jobs} jobs of 100 tenants, the README's payload", ALL) do |one|
          one.call(:enqueue, count: settings.jobs, tenants: 100)
        end,
         *ACTIVE_JOBS.map { |bytes| active_job(bytes) },
         tenant]
      end

      private

      def active_job(bytes)
        name = ['memory ActiveJob', *(bytes unless bytes == ACTIVE_JOBS.first)].join(' ')
        grown(name, "the same, an ActiveJob of #{bytes} bytes", %i[plain ours]) do |one|
          one.call(:enqueue_active_job, count: settings.jobs, tenants: 100, bytes: bytes)
        end
      end

      def grown(name, label, contenders, &)
        Result.new(name, label, 'KB', bytes(contenders, &).transform_values { |all| all.map { |one| one / 1024.0 } })
      end

      def bytes(contenders)
        arena.rounds(settings.few(3), contenders) do |one|
          yield one
          server.memory
        end
      end

      # A tenant with one job, minus the same job in plain Resque.
      def tenant
        all = bytes(ALL) { |one| one.call(:enqueue, count: TENANTS, tenants: TENANTS) }
        beyond = %i[old ours].to_h do |name|
          [name, all[name].zip(all[:plain]).map { |mine, plain| (mine - plain).fdiv(TENANTS) }]
        end
        Result.new('memory tenant', 'a tenant that holds one job, beyond the job', 'bytes', beyond)
      end

      def jobs
        thousands(settings.jobs)
      end
    end
  end
end
