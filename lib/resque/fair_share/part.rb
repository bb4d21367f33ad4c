# frozen_string_literal: true

module Resque
  module FairShare
    # Base of the five parts of a {Queue}: turns, leases, backlog, upkeep, control.
    # @private
    class Part
      # @param queue [Queue]
      def initialize(queue)
        @queue = queue
        @name = queue.name
        @native = queue.native
        @connection = queue.connection
      end

      private

      # @return [Integer] running jobs that a partition may have; 0: any number
      def cap
        FairShare.configuration.max_in_flight_of(@name)
      end

      # @return [Symbol] what a job costs its partition: its `:time`, or the same for all `:jobs`
      def charge
        FairShare.configuration.charge_of(@name)
      end

      # Follows a cursor of Redis to its end.
      # @param fetch [Proc] gets a cursor; gives the next one and a page
      # @yieldparam page [Array]
      def each_page(fetch)
        cursor = 0
        loop do
          cursor, page = fetch.call(cursor)
          yield page
          break if cursor.zero?
        end
      end

      # @return [Hash] as Resque decodes it; text that is no job becomes the argument of a job without class
      def decode(payload)
        decoded = Resque.decode(payload)
        decoded.is_a?(Hash) ? decoded : { 'class' => nil, 'args' => [payload] }
      rescue Resque::Helpers::DecodeException
        { 'class' => nil, 'args' => [payload] }
      end
    end
  end
end
