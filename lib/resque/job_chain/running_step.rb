# frozen_string_literal: true

module Resque
  module JobChain
    # A step's job while a worker performs it. Chain, step and token are read before `perform`, which may change the
    # job's arguments.
    # @private
    class RunningStep
      # An interrupted job has put itself back into its queue: it has neither ended well nor failed.
      INTERRUPTS = /(\A|::)Continuation::Interrupt\z/

      # A command of a script that the user's ACL forbids, in the words of Redis 6 to 8.
      REFUSED = /NOPERM|ACL failure|can't run this command|no permissions/
      private_constant :REFUSED

      class << self
        # @param job [Resque::Job]
        # @return [RunningStep, nil] nil where the job is no chain's
        def of(job)
          return job.job_chain_running_step if job.job_chain_running_step

          identity = identity_of(job)
          job.job_chain_running_step = new(*identity) if identity # steep:ignore UnexpectedPositionalArgument
        end

        # @return [Boolean] whether the job that runs in this thread tells its chain how it ends
        def inside?
          !current.nil?
        end

        # The running step has changed the context: its snapshot need not be read again.
        def context_changed(chain_id, revision, context)
          current&.context_changed(chain_id, revision, context)
        end

        # @return [RunningStep, nil]
        def current
          Thread.current[:resque_job_chain_running_step]
        end

        def with(running_step)
          earlier = current
          Thread.current[:resque_job_chain_running_step] = running_step
          yield
        ensure
          Thread.current[:resque_job_chain_running_step] = earlier
        end

        # Reads the arguments as resque-job-chain 0.1.0 writes them.
        # @return [Array(String, Integer), nil] chain id and step index
        def from_args(args)
          hash = args.find { |argument| argument.is_a?(Hash) }
          return unless hash

          id, step = hash.values_at('_chain_id', '_step_index')
          id ||= hash[:_chain_id]
          step ||= hash[:_step_index]
          [id.to_s, step.to_i] if id && step
        end

        private

        def identity_of(job)
          payload = job.payload
          return unless payload.is_a?(Hash)

          case payload[Delivery::KEY]
          in [String => id, String => run, Integer => step, Integer => token] then return [id, step, run, token]
          else nil
          end
          from_args(payload['args']) if payload['args'].is_a?(Array) && steps?(job)
        end

        # Without a token the class has to say that its jobs are steps. A class that can't be loaded can't deny it.
        def steps?(job)
          !job.has_payload_class? || job.payload_class.is_a?(Plugins::JobChain)
        rescue *FairShare::Guard::ERRORS
          # Its file is broken: Resque's own `fail` has still to record the job's failure.
          true
        end
      end

      # @param run [String, nil] nil: the job has lost it, along with its token
      # @param token [Integer, nil]
      def initialize(chain_id, step_index, run = nil, token = nil)
        @chain_id = chain_id
        @step_index = step_index
        @run = run
        @token = token
        @ended = false
      end

      # @return [Symbol, nil] what an error of {#perform} has left open: `:unbegun`, or `:performed` where the chain was
      #   not told
      attr_reader :loose

      # @return [Boolean] whether the job was performed
      def perform(&)
        pid = FairShare::Native.pid
        return false unless wanted?

        started = now
        performed = RunningStep.with(self, &)
        return performed unless pid == FairShare::Native.pid

        performed ? completed(now - started) : not_performed
        performed
      rescue Exception => e # rubocop:disable Lint/RescueException -- a SignalException is a failure, too
        # In a process that the job has forked it is neither the job's end nor the step's.
        raise unless pid == FairShare::Native.pid

        @loose = loose_by(e, started, performed)
        failed(e) unless @loose
        raise
      end

      # The chain of a step that was performed is told, perhaps once more.
      def go_on
        step_end.after_step
        @ended = true
      end

      # Called after {#perform} in a worker's child, and without it for a job whose child or worker has died.
      def failed(error)
        return if @ended
        return @ended = true if interrupt?(error)

        step_end.on_failure(error)
        @ended = true
      rescue StandardError => e
        Observable.report(:error, "chain #{@chain_id} could not be told that its step #{@step_index} failed with " \
                                  "#{error.class}: #{e.class}: #{e.message}; it goes on when the job is retried " \
                                  'from the failed list')
      end

      def context_changed(chain_id, revision, context)
        snapshot = @snapshot
        return unless chain_id.to_s == @chain_id && snapshot

        # Another process may have changed the chain in between. Then the snapshot is outdated, and the script says so.
        return unless revision.to_i == snapshot.revision.to_i + 1

        snapshot.revision = revision
        snapshot.context = context
      end

      private

      def completed(milliseconds)
        Observable.duration(:step_duration, milliseconds)
        go_on
      end

      def loose_by(error, started, performed)
        if performed
          :performed if untold?(error)
        elsif started.nil? && error.is_a?(::Redis::BaseError)
          :unbegun
        end
      end

      # Redis can't serve, refuses the chain's script to this user, or the process was interrupted. Any other error is
      # the chain's own, say of the next step's queue, and fails the chain.
      def untold?(error)
        return true if !error.is_a?(StandardError) || FairShare::Outage.passing?(error)

        error.is_a?(::Redis::BaseError) && error.message.match?(REFUSED)
      end

      # A before_perform hook raised DontPerform, or an around hook did not yield.
      def not_performed
        @ended = true
        Observable.report(:warn, "step #{@step_index} of chain #{@chain_id} was not performed, so the chain does " \
                                 'not go on; JobChain.recover starts it again')
      end

      # A job that a cancelled chain left in the queue is not performed, nor one that a later job has replaced. A job
      # without token is performed unless its chain was cancelled: somebody wanted it, and its step judges its end.
      def wanted?
        doing = "chain #{@chain_id} (the start of step #{@step_index})"
        @snapshot = snapshot = FairShare::Outage.wait_out(doing) { Snapshot.of(@chain_id, @step_index) }
        wanted = @token ? current?(snapshot) : snapshot&.status != 'cancelled'
        refuse unless wanted
        wanted
      end

      def current?(snapshot)
        return false if snapshot.nil? || snapshot.run != @run || snapshot.status == 'cancelled'

        snapshot.rows.any? { |row| row.token == @token && row.status == 'running' }
      end

      def refuse
        @ended = true
        Observable.notify(:step_stale, @chain_id, @step_index)
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
      end

      def interrupt?(error)
        error.class.ancestors.any? { |ancestor| INTERRUPTS.match?(ancestor.name.to_s) }
      end

      def step_end
        StepEnd.new(@chain_id, @step_index, run: @run, token: @token, snapshot: @snapshot)
      end
    end
  end
end
