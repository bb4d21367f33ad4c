# frozen_string_literal: true

require 'resque'

require_relative 'fair_share'
require_relative 'job_chain/errors'
require_relative 'job_chain/strategies'
require_relative 'job_chain/configuration'
require_relative 'job_chain/retry_delay'
require_relative 'job_chain/step'
require_relative 'job_chain/chain'
require_relative 'job_chain/builder'
require_relative 'job_chain/context'
require_relative 'job_chain/observable'
require_relative 'job_chain/persistence'
require_relative 'job_chain/snapshot'
require_relative 'job_chain/delivery'
require_relative 'job_chain/inline'
require_relative 'job_chain/executor'
require_relative 'job_chain/execution'
require_relative 'job_chain/control'
require_relative 'job_chain/recovery'
require_relative 'plugins/job_chain'
require_relative 'job_chain/patches/job'

module Resque
  # Ordered chains of jobs, which never lose a step. Job classes extend {Resque::Plugins::JobChain}; workers run
  # unchanged.
  module JobChain
    VERSION = Resque::FairShare::VERSION

    class << self
      # @return [Configuration] what {configure} changes
      def configuration
        @configuration ||= Configuration.new
      end

      # @yieldparam config [Configuration]
      # @raise [ArgumentError] for a value that can't be right, naming it
      def configure
        yield(configuration)
      end

      # Back to the defaults.
      def reset_configuration!
        @configuration = Configuration.new
      end

      # Declares a chain; {Chain#start!} starts it.
      # @param chain_id [String, Symbol, Integer]
      # @yieldparam chain [Builder]
      # @return [Chain]
      # @raise [ArgumentError] for a chain without steps, and whatever else can't be right
      # @example
      #   Resque::JobChain.build("order-#{order.id}") do |chain|
      #     chain.step ChargePayment, order_id: order.id, on_failure: :retry, max_attempts: 5
      #     chain.parallel { |group| group.step Ship; group.step SendReceipt }
      #   end.start!
      def build(chain_id)
        builder = Builder.new(chain_id)
        yield builder
        builder.to_chain
      end

      # @return [Hash] the fields of the chain's state, all Strings; empty where there is no such chain
      def status(chain_id)
        Persistence.load_state(chain_id)
      end

      # @return [Hash] what its steps share; empty where there is no such chain
      def context(chain_id)
        Persistence.load_context(chain_id)
      end

      # Merges into what its steps share; updates at the same time don't undo each other.
      # @return [Hash] the whole context after it
      # @raise [MissingChain]
      # @raise [ArgumentError] for a value that is not JSON
      def update_context(chain_id, **updates)
        Context.update(chain_id.to_s, **updates)
      end

      # @return [Array<String>] ids of all chains that run or are paused; {chains} gives a page
      def active_chains
        Persistence.active_chains
      end

      # A page of the chains, the last started first. With one status, a page costs the same wherever it is; without,
      # the pages before it are read along.
      # @param status [Symbol, String, nil] :running, :paused, :cancelled, :completed or :failed; nil: all
      # @param limit [Integer]
      # @param offset [Integer]
      # @return [Array<Hash>] each as {status} gives it, with "id"
      # @raise [ArgumentError] for another status, or a negative number
      def chains(status: nil, limit: 50, offset: 0)
        FairShare::Check.page(limit, offset)
        statuses = status ? [status_name(status)] : Persistence::STATUSES
        old, *rows = list(statuses, offset, limit)
        if old.positive?
          Persistence.adopt_all
          _, *rows = list(statuses, offset, limit)
        end
        rows.each_slice(2).map { |id, fields| fields.each_slice(2).to_h.merge('id' => id) }
      end

      # @return [Hash{String => Integer}] how many chains have each status
      def counts
        Persistence::STATUSES.zip(Persistence.call('') { |native, connection| native.count(connection) }).to_h
      end

      # Ends a running or paused chain: its queued job is not performed, its running one ends without effect on it.
      # @return [Boolean]
      def cancel(chain_id)
        Control.cancel(chain_id.to_s)
      end

      # The queued or running step ends, and counts; nothing more is started until {resume}.
      # @return [Boolean]
      def pause(chain_id)
        Control.pause(chain_id.to_s)
      end

      # @return [Boolean]
      # @raise [StepNotStartable] when a step that is due can't be started from this process; nothing has changed then
      def resume(chain_id)
        Control.resume(chain_id.to_s)
      end

      # A failed chain goes on from the step, or the members of its group, that failed. Attempts count anew.
      # @return [Boolean]
      # @raise [StepNotStartable] when such a step can't be started from this process; nothing has changed then
      def retry_failed(chain_id)
        Control.retry_failed(chain_id.to_s)
      end

      # Removes all keys of a chain that has ended.
      # @return [Boolean]
      def delete(chain_id)
        Control.delete(chain_id.to_s)
      end

      # Starts steps again whose job is nowhere: not queued, not running, not delayed, not failed. Never done by itself:
      # it reads all queues and the failed list. One that can't go on from this process is logged, and left as it is.
      # @param older_than [Numeric] seconds since the chain's last transition
      # @return [Array<String>] ids of the chains that go on
      # @raise [ArgumentError] for a negative number, or none
      def recover(older_than:)
        unless older_than.is_a?(Numeric) && older_than.real? && older_than >= 0
          raise ArgumentError, "older_than is #{older_than.inspect}; it must be seconds from 0 on"
        end

        Recovery.new(older_than).perform
      end

      # Where chains report what they caught.
      # @return [Logger] `config.logger`, else Resque's
      def logger
        configuration.logger || Resque.logger
      end

      # @private
      # @return [String]
      def check_id(chain_id)
        id = chain_id.to_s
        return id.encode(Encoding::UTF_8) unless id.empty? || !id.valid_encoding?

        raise ArgumentError, "a chain's id is #{chain_id.inspect}; it must be text, and not empty"
      rescue EncodingError
        raise ArgumentError, "a chain's id is #{chain_id.inspect}, which can't be written in UTF-8"
      end

      # @private A name that nobody else has, of a run or a request. By a generator of this process: to ask the system
      # each time costs more than all else that is done with the name.
      def fresh_name
        pid = FairShare::Native.pid
        @random = [pid, Random.new] unless @random&.first == pid
        @random.last.rand(36**10).to_s(36).rjust(10, '0') # steep:ignore NoMethod
      end

      # @private How long a finished chain stays, in milliseconds.
      def ttl
        configuration.completed_chain_ttl * 1000
      end

      # @private An error's message as it can be kept.
      def message_of(error)
        error.message.to_s.dup.force_encoding(Encoding::UTF_8).scrub[0, 10_000].to_s
      rescue StandardError => e
        "its message raised #{e.class}"
      end

      private

      def list(statuses, offset, limit)
        Persistence.call('') { |native, connection| native.list(connection, statuses, offset, limit) }
      end

      def status_name(status)
        FairShare::Check.one_of(Persistence::STATUSES.map(&:to_sym), :status, status).to_s
      end
    end
  end
end
