# frozen_string_literal: true

module Resque
  module JobChain
    # A step's job while a worker performs it: whether it still is to be performed, and what comes of its end. Its
    # chain, step and token are read before `perform`, which may change its arguments.
    # @private
    class Execution
      # An interrupted job has put itself back: it has neither ended well nor failed.
      INTERRUPTS = /(\A|::)Continuation::Interrupt\z/

      class << self
        # @param job [Resque::Job]
        # @return [Execution, nil] nil where it is no chain's
        def of(job)
          return job.job_chain_execution if job.job_chain_execution

          identity = identity_of(job)
          job.job_chain_execution = new(*identity) if identity # steep:ignore UnexpectedPositionalArgument
        end

        # @return [Boolean] whether an execution takes care of the job that runs here
        def inside?
          !current.nil?
        end

        # The context was changed by the step that runs here: its snapshot need not be read again.
        def context_changed(chain_id, revision, context)
          current&.context_changed(chain_id, revision, context)
        end

        # @return [Execution, nil]
        def current
          Thread.current[:resque_job_chain_execution]
        end

        def with(execution)
          earlier = current
          Thread.current[:resque_job_chain_execution] = execution
          yield
        ensure
          Thread.current[:resque_job_chain_execution] = earlier
        end

        # As resque-job-chain 0.1.0 has them.
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

        # Without a token the class has to say that its jobs are steps; one that can't be loaded can't say.
        def steps?(job)
          !job.has_payload_class? || job.payload_class.is_a?(Plugins::JobChain)
        rescue StandardError, ScriptError
          # Its file is broken: Resque's own `fail` has still to note the job's failure.
          true
        end
      end

      def initialize(chain_id, step_index, run = nil, token = nil)
        @chain_id = chain_id
        @step_index = step_index
        @run = run
        @token = token
        @ended = false
      end

      # @return [Boolean] whether the job was performed
      def perform(&)
        return false unless wanted?

        started = now
        performed = Execution.with(self, &)
        performed ? completed(now - started) : not_performed
        performed
      rescue Exception => e # rubocop:disable Lint/RescueException -- a SignalException is a failure, too
        failed(e)
        raise
      end

      # Comes after {#perform} in a worker's child, alone for a job whose child or worker has died.
      def failed(error)
        return if @ended
        return @ended = true if interrupt?(error)

        executor.on_failure(error)
        @ended = true
      rescue StandardError => e
        Observable.report(:error, "chain #{@chain_id} could not be told that its step #{@step_index} failed with " \
                                  "#{error.class}: #{e.class}: #{e.message}; it goes on when the job is retried " \
                                  'from the failed list')
      end

      def context_changed(chain_id, revision, context)
        snapshot = @snapshot
        return unless chain_id.to_s == @chain_id && snapshot

        # Somebody else may have changed it between: then the snapshot is outdated, and the script will say so.
        return unless revision.to_i == snapshot.revision.to_i + 1

        snapshot.revision = revision
        snapshot.context = context
      end

      private

      def completed(milliseconds)
        Observable.duration(:step_duration, milliseconds)
        executor.after_step
        @ended = true
      end

      # DontPerform, or an around hook that did not yield.
      def not_performed
        @ended = true
        Observable.report(:warn, "step #{@step_index} of chain #{@chain_id} was not performed, so the chain does " \
                                 'not go on; JobChain.recover starts it again')
      end

      # What a cancelled chain has left in the queue, and what was superseded, is not performed. A job without token is,
      # unless its chain was cancelled: somebody wanted it, and its end is judged by its step.
      def wanted?
        @snapshot = snapshot = Executor.patiently { Snapshot.of(@chain_id, @step_index) }
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

      def executor
        Executor.new(@chain_id, @step_index, run: @run, token: @token, snapshot: @snapshot)
      end
    end
  end
end
