# frozen_string_literal: true

require_relative '../../bin/support/clock'

module Bench
  module Contending
    # Wall-clock time, and CPU time of this process and its children.
    module Stopwatch
      Reading = Struct.new(:seconds, :cpu, :result)

      module_function

      # @return [Reading] of the block, with its result
      def time
        GC.start
        cpu = self.cpu
        from = now
        result = yield
        seconds = now - from
        Reading.new(seconds, self.cpu - cpu, result)
      end

      # For operations that are not measured.
      def untimed
        Reading.new(0.0, 0.0, yield)
      end

      def now
        Support::Clock.now
      end

      # Children count when they have ended.
      def cpu
        times = Process.times
        Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + times.cutime + times.cstime
      end
    end
  end
end
