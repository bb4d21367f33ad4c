# frozen_string_literal: true

module Resque
  module FairShare
    # Tells where payloads belong that others pushed into a queue's main list. They are queued already, so they can't be
    # refused, and a worker asks: whatever a rule or a weight raises, the job takes its turn, and the log says it.
    # @private
    class Routes
      # @param queue_name [String]
      def initialize(queue_name)
        @queue_name = queue_name
      end

      # @param elements [Array<String>] of the main list
      # @return [Array<Array(String, Float), nil>] partition and weight of each, or nil for what it does not have; nil
      #   alone for a ticket
      def of(elements)
        elements.map do |element|
          next if element == TICKET

          partition = partition_of(element)
          [partition, partition && weight_of(partition)]
        end
      end

      # @param payload [String]
      # @return [String, nil] the partition's id; nil: the job runs without partition
      def partition_of(payload)
        name, args = Native.job(payload)
        klass = Resolver.fair_class(name)
        find(klass, args)
      rescue *Guard::ERRORS => e
        Guard.warn_once([:partition, @queue_name, name]) do
          "a job in queue #{@queue_name} goes without partition: #{Guard.text(name.to_s)} " \
            "(#{klass ? Resolver.rule_of(klass) : 'no fair class'}): #{Guard.describe(e)}"
        end
        nil
      end

      # @param partition [String] its id
      # @return [Float, nil] as {Configuration#weight_of}; where that raises, the one that Redis knows
      def weight_of(partition)
        FairShare.configuration.weight_of(@queue_name, partition)
      rescue *Guard::ERRORS => e
        Guard.warn_once([:weight, @queue_name]) do
          "the weight of partition #{Guard.show(partition)} in queue #{@queue_name} stays as it was: config.weight: " \
            "#{Guard.describe(e)}"
        end
        known_weight(partition)
      end

      private

      def find(klass, args)
        klass && Resolver.partition(klass, args)
      end

      # A script that is given no weight sets it to 1.
      def known_weight(partition)
        queue = Queue.current(@queue_name)
        queue.native.configured_weight(queue.connection, Native::Queue.encoded(partition))
      end
    end
  end
end
