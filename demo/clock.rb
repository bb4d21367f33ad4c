# frozen_string_literal: true

module Demo
  # One clock for all processes of this machine, which nobody sets while the demo runs.
  module Clock
    # @return [Float] seconds
    def self.now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
