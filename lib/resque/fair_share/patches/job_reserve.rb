# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # `Resque::Job.reserve`: the pop below it takes the fair turn; this gives the job its lease, and gives a lease
      # back whose job does not reach the caller.
      # @private
      module JobReserve
        # Two entry points: workers call `Resque.reserve`; some plugins override `Job.reserve` and never call ours.
        EARLIER = {
          Resque => Patches.own(Resque, :reserve),
          Resque::Job => Patches.own(Resque::Job.singleton_class, :reserve)
        }.freeze

        # Resque's own calls `Job.reserve`, and does nothing else.
        LEADS_ON = Patches.stock?(EARLIER.fetch(Resque), 'resque.rb')

        # The state of a thread's reserve: whether it is inside one, and the lease that was popped for it.
        # @private
        class State
          # @return [Array(Queue, String), nil] a payload that was popped as stock pops, and its queue
          attr_accessor :plain
          attr_accessor :inside, :lease

          # @return [Lease, nil] the lease that was popped, once
          def take
            lease = @lease
            @lease = nil
            lease
          end
        end

        class << self
          # @return [Boolean] whether `Resque.reserve` certainly calls our `Job.reserve`: no plugin has wrapped either
          def leads_on?
            LEADS_ON && Resque::Job.singleton_class.instance_method(:reserve) == OURS
          end

          # @return [State] this thread's
          def state
            Thread.current[:resque_fair_share_reserve] ||= State.new
          end

          # A plugin that pops again has dealt with the job before: pushed it back, or found it locked.
          def popping
            state = self.state
            state.take&.release if state.inside
          end

          # Notes a pop's lease for the reserve around it, where there is one.
          # @return [String] the payload
          def popped(lease)
            state = self.state
            state.lease = lease if state.inside
            lease.payload
          end

          # @return [String, nil] the payload
          def popped_as_stock(fair_queue, payload)
            state = self.state
            state.plain = [fair_queue, payload] if state.inside && payload
            payload
          end

          # @yieldreturn [Resque::Job, nil] of the earlier `reserve`
          # @return [Resque::Job, nil] the job, with its lease
          def leasing
            state = self.state
            return yield if state.inside && nested?(state)

            begin
              state.inside = true
              hand_over(yield, state)
            rescue Resque::Helpers::DecodeException => e
              lease = state.take
              raise unless lease ? lease.fail(e) : failed_as_plain(state, e)

              retry
            ensure
              state.inside = false
              state.plain = nil
              # Still there only after an exception (Timeout, Thread#kill).
              state.take&.give_back
            end
          end

          private

          # Nobody can read it. On a queue of plain jobs all is as in stock, which raises.
          # @return [String, nil] the payload, where it is in the failed list
          def failed_as_plain(state, error)
            fair_queue, payload = state.plain
            state.plain = nil
            return unless fair_queue && payload && (Payload.fair?(payload) || fair_queue.standing.look)

            FailedList.add(payload, error, fair_queue.name)
            payload
          end

          # An exception out of a trap handler can leave the flag set, with no `leasing` on the stack. The stack is read
          # only where the flag is set, so this costs only plugins that reserve within reserve.
          def nested?(state)
            stack = caller_locations(2) || []
            return true if stack.any? { |frame| frame.path == __FILE__ && frame.base_label == 'leasing' }

            state.take&.give_back
            false
          end

          # @return [Resque::Job, nil] the job, with its lease
          def hand_over(job, state)
            lease = state.take
            if job
              job.fair_share_lease = lease if lease
            else
              lease&.release
            end
            job
          end
        end

        def reserve(queue)
          earlier = EARLIER.fetch(self)
          return earlier.bind_call(self, queue) if equal?(Resque) && JobReserve.leads_on?

          JobReserve.leasing { earlier.bind_call(self, queue) }
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque, Resque::FairShare::Patches::JobReserve)
Resque::FairShare::Patches.replace(Resque::Job.singleton_class, Resque::FairShare::Patches::JobReserve)
Resque::FairShare::Patches::JobReserve::OURS =
  Resque::FairShare::Patches.own(Resque::Job.singleton_class, :reserve)
