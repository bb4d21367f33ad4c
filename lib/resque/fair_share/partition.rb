# frozen_string_literal: true

module Resque
  module FairShare
    # One partition (tenant) of a queue, as it was when it was read.
    # @example
    #   tenant = Resque::FairShare.queue('default').partition(42)
    #   tenant.set(weight: 3, max_in_flight: 10)
    class Partition
      # @return [String, nil] its id as it was given; nil is the lane of the queue's jobs without partition
      attr_reader :id
      # @return [Integer] waiting jobs
      attr_reader :pending
      # @return [Integer] running jobs
      attr_reader :in_flight
      # @return [Float] its weight now
      attr_reader :weight
      # @return [Integer] running jobs it may have; 0: any number
      attr_reader :max_in_flight
      # @return [Float, nil] seconds for which its oldest job has waited; nil where none waits
      attr_reader :oldest_age

      # @private Use {Queue#partition}.
      def initialize(queue, row)
        @queue = queue
        assign(row)
      end

      # @private
      # @return [String] the id as it is in key names
      attr_reader :encoded

      # @return [Boolean] whether {#pause} holds its jobs back
      def paused?
        @paused
      end

      # Run-time settings: they beat the configuration from the next reserve on, and stay until they are taken back.
      # @param weight [Numeric, nil] above 0; nil takes it back; not given: as it is
      # @param max_in_flight [Integer, nil] from 0 (no cap) on; nil takes it back; not given: as it is
      # @return [self]
      # @raise [ArgumentError] for another value, naming it, or for the lane of jobs without partition; nothing is
      #   changed then
      # @example
      #   tenant.set(weight: 3)       # three times the time of others
      #   tenant.set(weight: nil)     # as the configuration has it
      def set(weight: :keep, max_in_flight: :keep)
        weight = Check.weight(weight).to_f unless weight.nil? || weight == :keep
        Check.max_in_flight(max_in_flight) unless max_in_flight.nil? || max_in_flight == :keep
        change(weight: weight, max_in_flight: max_in_flight)
      end

      # No further job starts until {#resume}; those that run go on.
      # @return [self]
      # @raise [ArgumentError] for the lane of jobs without partition
      def pause
        change(paused: true)
      end

      # Ends a {#pause}.
      # @return [self]
      # @raise [ArgumentError] for the lane of jobs without partition
      def resume
        change(paused: false)
      end

      # @param limit [Integer] at the most
      # @param offset [Integer] how many to leave out
      # @return [Array<Hash>] payloads of waiting jobs as Resque decodes them, the oldest first
      # @raise [ArgumentError] for a limit or offset that is no Integer from 0 on
      def jobs(limit: 50, offset: 0)
        Check.page(limit, offset)
        @queue.backlog.payloads(@encoded, offset, limit)
      end

      # Removes all waiting jobs; those that run go on.
      # @return [Integer] jobs removed
      def clear
        removed = @queue.backlog.clear([@encoded])
        reload
        removed
      end

      # Reads it again.
      # @return [self]
      def reload
        assign(@queue.control.describe_row(@encoded))
        self
      end

      private

      def change(**settings)
        raise ArgumentError, 'the lane of jobs without partition has no settings' if id.nil?

        @queue.control.set(id, **settings)
        reload
      end

      def assign(row)
        @encoded, id, @pending, @in_flight, @weight, @max_in_flight, @paused, age = row
        # Redis may have forgotten a shortened id; the caller who gave the full one has not.
        @id = id unless @id && id == @encoded
        @oldest_age = age && (age / 1000.0)
      end
    end
  end
end
