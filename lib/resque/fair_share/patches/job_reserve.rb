# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # `Resque::Job.reserve`: the pop below it takes the fair turn; here the job gets its lease, and a lease whose job
      # does not reach the caller is not forgotten.
      module JobReserve
        # The two ways in: `Resque.reserve` is the worker's, and the `Job.reserve` of some plugins never gets to ours.
        EARLIER = {
          Resque => Patches.own(Resque, :reserve),
          Resque::Job => Patches.own(Resque::Job.singleton_class, :reserve)
        }.freeze

        class << self
          # Whether this thread is inside a reserve.
          def inside?
            Thread.current[:resque_fair_share_reserving]
          end

          def inside=(value)
            Thread.current[:resque_fair_share_reserving] = value
          end

          # A plugin that pops again has dealt with the job before: pushed it back, or found it locked.
          def popping
            take&.release if inside?
          end

          # An exception out of a trap handler can leave the flag set: then nothing of ours is below us on the stack.
          # Looked at only where the flag is set, so it costs nothing but for plugins that reserve within reserve.
          def nested?
            return false unless inside?

            stack = caller_locations(2) || []
            return true if stack.any? { |frame| frame.path == __FILE__ && frame.base_label == 'reserve' }

            take&.give_back
            false
          end

          # Notes a pop's lease for the reserve around it, where there is one.
          # @return [String] the payload
          def popped(lease)
            Thread.current[:resque_fair_share_popped] = lease if inside?
            lease.payload
          end

          # @return [Lease, nil] what was popped, once
          def take
            lease = Thread.current[:resque_fair_share_popped]
            Thread.current[:resque_fair_share_popped] = nil
            lease
          end

          # @return [Resque::Job, nil] the job, with its lease
          def hand_over(job)
            lease = take
            if job
              job.fair_share_lease = lease if lease
            else
              lease&.release
            end
            job
          end
        end

        def reserve(queue)
          return EARLIER.fetch(self).bind_call(self, queue) if JobReserve.nested?

          begin
            JobReserve.inside = true
            JobReserve.hand_over(EARLIER.fetch(self).bind_call(self, queue))
          rescue Resque::Helpers::DecodeException => e
            lease = JobReserve.take
            raise unless lease

            lease.fail(e)
            retry
          ensure
            JobReserve.inside = false
            # Still there only when an exception (Timeout, Thread#kill) has come between.
            JobReserve.take&.give_back
          end
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque, Resque::FairShare::Patches::JobReserve)
Resque::FairShare::Patches.replace(Resque::Job.singleton_class, Resque::FairShare::Patches::JobReserve)
