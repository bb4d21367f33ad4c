# frozen_string_literal: true

module Resque
  module FairShare
    # Tells `config.statsd_client` a partition's counts. Scripts reply with them, so this needs no round trip.
    # @private
    module Gauges
      # A percent sign too: two ids must not share a name.
      SYNTAX = /[:|@#%]|[[:space:]]|[[:cntrl:]]/
      private_constant :SYNTAX

      module_function

      # Keywords of a fixed name: a splat would allocate a Hash at each call.
      # @param pending [Integer, nil]
      # @param in_flight [Integer, nil]
      def emit(queue, partition, pending: nil, in_flight: nil)
        client = FairShare.configuration.statsd_client
        return if client.nil? || partition.nil?

        Guard.call('the StatsD client') do
          root = "resque.fair_share.#{name(queue)}.#{name(partition)}"
          client.gauge("#{root}.pending", pending) if pending
          client.gauge("#{root}.in_flight", in_flight) if in_flight
        end
      end

      # @return [String] without the characters of StatsD's line syntax, which would end the name, or the line
      def name(part)
        return part unless part.match?(SYNTAX)

        part.gsub(SYNTAX) { |found| found.bytes.map { |byte| format('%%%02X', byte) }.join }
      end

      # @param counts [Enumerable<Array(String, Integer)>] partitions and what waits in each
      def emit_pending(queue, counts)
        counts.each { |partition, pending| emit(queue, partition, pending: pending) }
      end
    end
  end
end
