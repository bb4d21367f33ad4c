# frozen_string_literal: true

module Resque
  module FairShare
    # Tells `config.statsd_client` a partition's counts, as a script's reply has them: no round trip of its own.
    # @private
    module Gauges
      module_function

      # @return [Boolean] false: nobody listens, and a job's way need not stop here
      def wanted?
        !FairShare.configuration.statsd_client.nil?
      end

      # @param counts [Hash{Symbol => Integer}] :pending, :in_flight
      def emit(queue, partition, **counts)
        client = FairShare.configuration.statsd_client
        return if client.nil? || partition.nil?

        counts.each { |name, value| client.gauge("resque.fair_share.#{queue}.#{partition}.#{name}", value) }
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
