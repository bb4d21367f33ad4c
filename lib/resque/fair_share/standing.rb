# frozen_string_literal: true

module Resque
  module FairShare
    # Whether this process knows a queue as fair: as one that has fair-share state in Redis.
    # @private
    class Standing
      # For how many seconds a process trusts its note of a queue that is fair, or was before. Queues never seen as fair
      # are not polled: a popped ticket reveals them, and workers check at start-up.
      FAIR_FOR = 5
      PLAIN_FOR = 60

      # @param native [Native::Queue]
      # @param connection [Connection]
      def initialize(native, connection)
        @native = native
        @connection = connection
        @fair = false
        @trusted_until = nil
      end

      # Asks Redis when the note is too old.
      # @return [Boolean] whether jobs without partition go into the lane; false for a queue that is new to this process
      def lane?
        return false if FairShare.configuration.legacy_scan?

        trusted_until = @trusted_until
        look if trusted_until && now > trusted_until
        @fair
      end

      # @return [Boolean] whether a pop goes through the scripts
      def fair?
        FairShare.configuration.legacy_scan? || lane?
      end

      # Asks Redis.
      # @return [Boolean] whether the queue has fair-share state now
      def look
        note(@native.fair?(@connection))
      end

      # The caller has seen it in Redis.
      def seen_fair
        note(true)
      end

      # @param fair [Boolean] as a reply of Redis says
      # @return [Boolean] the same
      def note(fair)
        return false unless fair || @trusted_until

        @trusted_until = now + (fair ? FAIR_FOR : PLAIN_FOR)
        @fair = fair
      end

      private

      # Seconds.
      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
