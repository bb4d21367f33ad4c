# frozen_string_literal: true

module Resque
  module FairShare
    # Tells `config.statsd_client` a partition's counts. Scripts reply with them, so this needs no round trip.
    # @private
    module Gauges
      module_function

      # Keywords of a fixed name: a splat would allocate a Hash at each call.
      # @param pending [Integer, nil]
      # @param in_flight [Integer, nil]
      def emit(queue, partition, pending: nil, in_flight: nil)
        client = FairShare.configuration.statsd_client
        return if client.nil? || partition.nil?

        client.gauge("resque.fair_share.#{queue}.#{partition}.pending", pending) if pending
        client.gauge("resque.fair_share.#{queue}.#{partition}.in_flight", in_flight) if in_flight
      rescue StandardError => e
        FairShare.logger.error("resque-fair-share: the StatsD client raised #{e.class}: #{e.message}")
      end

      # @param counts [Enumerable<Array(String, Integer)>] partitions and what waits in each
      def emit_pending(queue, counts)
        counts.each { |partition, pending| emit(queue, partition, pending: pending) }
      end
    end
  end
end
