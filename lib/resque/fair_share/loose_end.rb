# frozen_string_literal: true

module Resque
  module FairShare
    # The end of a worker's job that could not be noted, because Redis could not serve for longer than patience lasts. A
    # child tells its worker by a pipe. The worker notes it before it says that it is done; if it can't, it ends, and
    # neither its record nor the lease is gone.
    # @private
    class LooseEnd
      # The top-level key of the payload in a worker's record which says that the step was performed.
      PERFORMED = 'job_chain_performed'

      # The top-level key by which a step's payload names its chain, run, step and token.
      CHAIN = 'job_chain'

      # A failure whose exception could not be handed over.
      class Failed < Error; end

      class << self
        # A worker begins with a job.
        def watch(forks)
          forget
          @reader, @writer = IO.pipe if forks
          @pid = Native.pid
        end

        # @param kind [Symbol] `:unbegun`, `:performed` (a step whose chain was not told), or `:failed`
        def note(job, kind, error)
          @open = [name_of(job), new(kind, error)]
          Guard.log(:error, "resque-fair-share: the end of #{job.inspect} (#{kind}) could not be noted yet: " \
                            "#{error.class}: #{error.message}")
          @writer&.write(Marshal.dump([kind, portable(error)])) if child?
        end

        # @return [LooseEnd, nil] of a job that ran in this process, or in its child; or by its record
        def of(job)
          hear(job)
          name, loose_end = @open
          return loose_end if loose_end && name == name_of(job)

          new(:performed, nil, true) if job.payload.is_a?(Hash) && job.payload[PERFORMED]
        end

        # @return [Boolean] whether this is the child, whose worker settles
        def child?
          !@pid.nil? && @pid != Native.pid
        end

        def forget
          @reader&.close
          @writer&.close
          @reader = @writer = @open = nil
        end

        private

        # The arguments may have been changed by the job.
        def name_of(job)
          payload = job.payload
          payload.is_a?(Hash) ? payload.values_at(Lease::KEY, CHAIN) : payload
        end

        def hear(job)
          reader = @reader
          return if reader.nil? || child?

          text = reader.read_nonblock(1 << 16, exception: false)
          return unless text.is_a?(String)

          kind, error = Marshal.load(text) # rubocop:disable Security/MarshalLoad -- of our own child
          @open = [name_of(job), new(kind, error)]
        end

        # What a pipe holds without a reader is limited.
        def portable(error)
          size = Marshal.dump(error).bytesize
          size < 16_384 ? error : told(error)
        rescue StandardError
          told(error)
        end

        def told(error)
          Failed.new("#{error.class}: #{error.message.to_s[0, 1000]}")
        end
      end

      # @return [Symbol]
      attr_reader :kind

      # @param of_record [Boolean] whether a dead worker's record told it
      def initialize(kind, error, of_record = false) # rubocop:disable Style/OptionalBooleanParameter
        @kind = kind
        @error = error
        @of_record = of_record
      end

      # Notes the end now. Each way may be gone twice.
      def settle(job)
        case @kind
        when :performed
          go_on(job)
          # Or the lease of a job without record would put it back.
          Patches::Job.end_lease(job)
        when :unbegun then put_back(job)
        else fail(job)
        end
        LooseEnd.forget
      end

      private

      # A worker that prunes another must be able to start: what no waiting helps is left to `JobChain.recover`.
      def go_on(job)
        job.job_chain_goes_on
      rescue StandardError => e
        raise if !@of_record || Outage.passing?(e)

        Guard.log(:error, "resque-fair-share: the chain of #{job.inspect}, whose step was performed, could not " \
                          "be told: #{e.class}: #{e.message}; JobChain.recover starts the step again")
      end

      def put_back(job)
        lease = Lease.of(job)
        Outage.wait_out('a job that is put back') do
          lease ? lease.put_back : Resque.push(job.queue, job.payload)
        end
      end

      def fail(job)
        job.fail_by_resque(@error || Failed.new('the job failed'))
      end
    end
  end
end
