# frozen_string_literal: true

module Resque
  module FairShare
    module Patches
      # A worker waits while Redis can't serve, instead of ending. Redefines Resque's methods, see {Patches.replace}.
      # @private
      module Worker
        EARLIER = %i[paused? reserve working_on state_change reconnect done_working heartbeat!].to_h do |name|
          [name, Patches.own(Resque::Worker, name)]
        end.freeze
        private_constant :EARLIER

        def paused?
          Worker.idle(self, :paused?) { true }
        end

        def reserve
          Worker.idle(self, :reserve) { nil }
        end

        def state_change
          Worker.idle(self, :state_change) { nil }
        end

        def working_on(job)
          Worker.wait(self, :working_on, job).tap do
            LooseEnd.watch(fork_per_job?) if job.payload.is_a?(Hash) && (Lease.of(job) || job.step_of_chain?)
            @fair_share_job = job
          end
        end

        def reconnect
          Worker.wait(self, :reconnect)
        rescue ::Redis::BaseError => e
          job = @fair_share_job
          LooseEnd.note(job, :unbegun, e) if job && LooseEnd.child?
          raise
        end

        def done_working
          job = @fair_share_job
          LooseEnd.of(job)&.settle(job) if job
          @fair_share_job = nil
          LooseEnd.forget
          Worker.wait(self, :done_working)
        end

        # Resque's thread ends by the first error, and another worker takes this one for dead.
        def heartbeat!(*time)
          EARLIER.fetch(:heartbeat!).bind_call(self, *time)
        rescue ::Redis::BaseError => e
          raise unless @heartbeat_thread.nil? || @heartbeat_thread.equal?(Thread.current)

          Guard.log(:warn, "resque-fair-share: worker #{self} could not send its heartbeat: #{e.message}")
        end

        class << self
          # @return [Object] of Resque's own method
          def wait(worker, name, *arguments, **options)
            Outage.wait_out("worker #{worker} (#{name})", **options) do
              EARLIER.fetch(name).bind_call(worker, *arguments)
            end
          end

          # As {wait}, while the worker has no job: told to end, it does not wait.
          # @yieldreturn [Object] the answer then
          def idle(worker, name)
            wait(worker, name, give_up: -> { worker.shutdown? })
          rescue ::Redis::BaseError => e
            raise unless worker.shutdown? && Outage.passing?(e)

            yield
          end
        end
      end

      # A worker of this host that lives is not pruned, though its heartbeat be old: its thread may have died.
      # @private
      module ExpiredHeartbeats
        def all_workers_with_expired_heartbeats
          super.reject { |worker| ProcessIdentity.worker_lives?(worker) }
        end
      end
    end
  end
end

Resque::FairShare::Patches.replace(Resque::Worker, Resque::FairShare::Patches::Worker)
Resque::Worker.singleton_class.prepend(Resque::FairShare::Patches::ExpiredHeartbeats)
