# frozen_string_literal: true

module Support
  # Ctrl-C, a TERM, or a terminal that was closed. Only the first signal counts: the clean-up after it must not be
  # interrupted.
  class Interruption < Interrupt
    SIGNALS = %w[INT TERM HUP].freeze

    class << self
      # @param at_once [Boolean] whether a signal raises wherever the program is. Else it raises at the next {check},
      #   for programs that fork: an exception could fall between a fork and the note of its pid.
      def watch(at_once: false)
        SIGNALS.each do |name|
          trap(name) do
            first = @signal.nil?
            @signal ||= name
            check if first && at_once
          end
        end
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

    # @return [Integer] the status that a shell reports for the signal
    def exit_status
      128 + Signal.list.fetch(message)
    end
  end
end
