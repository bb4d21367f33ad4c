# frozen_string_literal: true

module Resque
  module FairShare
    # Tells where payloads belong that others pushed into a queue's main list.
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
          [partition, partition && FairShare.configuration.weight_of(@queue_name, partition)]
        end
      end

      # A job whose partition can't be told is queued already, so it can't be refused: it runs without a partition.
      # @param payload [String]
      # @return [String, nil] the partition's id
      def partition_of(payload)
        name, args = Native.job(payload)
        find(Resolver.fair_class(name), args)
      rescue ArgumentError => e
        FairShare.logger.warn("resque-fair-share: a job in queue #{@queue_name} goes without partition: #{e.message}")
        nil
      end

      private

      def find(klass, args)
        klass && Resolver.partition(klass, args)
      end
    end
  end
end
