# frozen_string_literal: true

module Demo
  # Ctrl-C. The signal only leaves a mark, which the demo looks at where it can stop: an exception out of the blue could
  # come between a fork and the note of its pid.
  class Interruption < StandardError
    SIGNALS = %w[INT TERM HUP].freeze

    class << self
      def watch
        SIGNALS.each { |name| trap(name) { @signal ||= name } }
      end

      # For a child that has just been forked.
      def unwatch
        SIGNALS.each { |name| trap(name, 'DEFAULT') }
      end

      # @raise [Interruption] if there was a signal
      def check
        raise new(@signal) if @signal
      end
    end

    # @return [Integer] as a shell has it
    def exit_status
      128 + Signal.list.fetch(message)
    end
  end
end
