# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # `Resque.sample_queues` reads the raw lists, which have tickets where jobs wait in partitions.
      # @private
      module SampleQueues
        def sample_queues(sample_size = 1000)
          super.each do |queue, sample|
            next unless sample[:samples].include?(nil)

            payloads = Queue.current(queue).backlog.peek(0, sample_size)
            sample[:samples] = payloads.map { |payload| Resque::Job.decode(payload) }
          end
        end
      end
    end
  end
end

Resque.singleton_class.prepend(Resque::FairShare::Patches::SampleQueues)
