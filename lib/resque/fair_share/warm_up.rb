# frozen_string_literal: true

module Resque
  module FairShare
    # A job that does nothing, performed once before a worker forks. Ruby fills inline caches the first time code runs.
    # In a forked child each such write copies a page, so every child would pay again. Measured: 236 page faults a child
    # without it, 210 with it, plain Resque 196.
    # @private
    class WarmUp
      extend Plugins::FairShare

      # Bytes: to glibc less than a kilobyte is small.
      LARGE = 4096
      LIBRARY = File.dirname(__dir__.to_s)

      class << self
        def perform; end

        # Runs only Resque's code and ours: a plugin would take it for a job.
        def call
          perform = Patches.own(Resque::Job, :perform)
          return unless ours?(perform) && Patches.stock?(Patches::Job::EARLIER_PERFORM, 'resque/job.rb')

          perform.bind_call(Resque::Job.new('', 'class' => name, 'args' => []))
        rescue StandardError => e
          Guard.log(:warn, "resque-fair-share: the warm-up before forking raised #{Guard.describe(e)}")
        end

        # glibc coalesces freed chunks at the next large allocation and writes to each. Do it here, or every child
        # copies those pages: measured, 175 of 378. (Resque's client allocates large chunks all the time; the core's
        # connection keeps its buffers.)
        def settle_memory
          String.new(capacity: LARGE)
        end

        private

        def ours?(method)
          method.source_location.to_a.first.to_s.start_with?(LIBRARY)
        end
      end
    end
  end
end
