# frozen_string_literal: true

require_relative 'event'

module Demo
  module Chains
    # Everything that the steps noted, in the order in which Redis got it.
    class Journal
      # @return [Array<Event>]
      attr_reader :starts, :ends

      def initialize
        @starts = []
        @ends = []
        @running = {}
      end

      # Reads what was noted since the last call.
      # @return [Integer] how many events
      def read
        lines = Resque.redis.lrange(Event::LIST, @starts.size + @ends.size, -1)
        lines.each { |line| note(Event.parse(line)) }
        lines.size
      end

      # @param event [Event]
      def note(event)
        if event.start?
          @starts << event
          @running[event.attempt] = event
        else
          @ends << event
          @running.delete(event.attempt)
        end
      end

      # @return [Array<Event>] the starts of attempts that have not ended
      def running
        @running.values
      end

      # @param start [Event] of an attempt that never ends
      def killed(start)
        @running.delete(start.attempt)
      end

      # @return [Hash{Array(String, Integer) => Array<Float>}] when each step of each chain ended
      def end_times
        @ends.group_by(&:place).transform_values { |events| events.map(&:time) }
      end

      # @param crash [Crash] one that has hit a step
      # @return [Float, nil] seconds until that step was started again
      def pause_after(crash)
        again = @starts.find { |start| start.place == crash.hit.place && start.time > crash.time }
        again.time - crash.time if again
      end
    end
  end
end
