# frozen_string_literal: true

# The Ruby files in this folder are what bin/demo, bin/bench and the specs share. They are here, not in demo/ or
# benchmark/, so that neither of the two programs belongs to the other.
module Support
  # The same clock for all processes of this machine; it is never set back.
  module Clock
    # @return [Float] seconds
    def self.now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
