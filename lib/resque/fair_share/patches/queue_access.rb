# frozen_string_literal: true

module Resque
  module FairShare
    # What stands in the main list for each job that waits in a partition. It decodes to nil, so a worker without this gem
    # sees an empty queue rather than a broken job.
    TICKET = 'null'

    module Patches
      # Every enqueue and every pop of Resque and its plugins goes through here, and nobody aliases it.
      module QueueAccess
        def push_to_queue(queue, encoded_item)
          klass = Resolver.fair_class(Native.job_class(encoded_item))
          if klass
            Queue.of(@redis, queue).enqueue(encoded_item, Resolver.partition(klass, encoded_item))
          else
            fair_queue = Queue.of(@redis, queue)
            # A job without partition takes its turn in the queue's own lane, where there are others to take turns with.
            fair_queue.fair? ? fair_queue.enqueue(encoded_item, nil) : super
          end
        end

        # @return [String, nil] a payload, as stock; one from a partition carries its lease
        def pop_from_queue(queue)
          fair_queue = Queue.of(@redis, queue)
          unless fair_queue.fair?
            popped = super
            return popped unless popped == TICKET
          end
          lease = fair_queue.reserve(ticket_given: popped == TICKET)
          return super if lease == :plain

          lease && JobReserve.popped(lease)
        end
      end
    end
  end
end

Resque::DataStore::QueueAccess.prepend(Resque::FairShare::Patches::QueueAccess)
