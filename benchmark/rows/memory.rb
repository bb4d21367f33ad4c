# frozen_string_literal: true

require_relative '../row'

module Bench
  module Rows
    # Bytes of all keys. All jobs are enqueued as an application does it.
    class Memory < Row
      row 'memory'
      TENANTS = 1000

      def call
        [grown('memory', "Redis memory, #{jobs} jobs of 100 tenants, the README's payload", ALL) do |one|
          one.call(:enqueue, count: settings.jobs, tenants: 100)
        end,
         grown('memory ActiveJob', 'the same, an ActiveJob of 500 bytes', %i[plain ours]) do |one|
           one.call(:enqueue_active_job, count: settings.jobs, tenants: 100)
         end,
         tenant]
      end

      private

      def grown(name, label, contenders, &)
        Result.new(name, label, 'KB', bytes(contenders, &).transform_values { |all| all.map { |one| one / 1024.0 } })
      end

      def bytes(contenders)
        arena.rounds(settings.few(3), contenders) do |one|
          yield one
          server.memory
        end
      end

      # A tenant with one job, less the job as plain Resque has it.
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
