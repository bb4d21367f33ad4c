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
require_relative 'job_chain/damage'
require_relative 'job_chain/persistence'
require_relative 'job_chain/adoption'
require_relative 'job_chain/snapshot'
require_relative 'job_chain/obstacle'
require_relative 'job_chain/delivery'
require_relative 'job_chain/inline'
require_relative 'job_chain/step_failure'
require_relative 'job_chain/step_end'
require_relative 'job_chain/first_gem_names'
require_relative 'job_chain/running_step'
require_relative 'job_chain/restart'
require_relative 'job_chain/control'
require_relative 'job_chain/pages'
require_relative 'job_chain/sightings'
require_relative 'job_chain/recovery'
require_relative 'plugins/job_chain'
require_relative 'job_chain/patches/job'

# The job queue that this gem extends.
module Resque
  # Ordered chains of jobs, which never lose a step. Job classes extend {Resque::Plugins::JobChain}; workers run
  # unchanged.
  module JobChain
    # @return [String] the gem's version
    VERSION = Resque::FairShare::VERSION

    class << self
      # @return [Configuration] the settings of all chains
      def configuration
        @configuration ||= Configuration.new
      end

      # Changes settings.
      # @yieldparam config [Configuration]
      # @return [Object] the block's value
      # @raise [ArgumentError] for a value that can't be right, naming it
      # @example
      #   Resque::JobChain.configure { |config| config.default_strategy = :retry }
      def configure
        yield(configuration)
      end

      # Takes all settings and observers back.
      # @return [Configuration] one with the defaults
      def reset_configuration!
        @configuration = Configuration.new
      end

      # Declares a chain; {Chain#start!} starts it.
      # @param chain_id [String, Symbol, Integer]
      # @yieldparam chain [Builder]
      # @return [Chain]
      # @raise [ArgumentError] for a chain without steps, or a value that can't be right, naming it
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

      # @param chain_id [String, Symbol, Integer]
      # @return [Hash{String => String}] the fields of the chain's state; empty where there is no such chain
      # @example
      #   Resque::JobChain.status('order-7')['status'] # => "running"
      def status(chain_id)
        Persistence.load_state(chain_id)
      end

      # @param chain_id [String, Symbol, Integer]
      # @return [Hash{String => Object}] the data its steps share; empty where there is no such chain
      def context(chain_id)
        Persistence.load_context(chain_id)
      end

      # Merges values into the data its steps share. Concurrent updates of different keys don't undo each other.
      # @param chain_id [String, Symbol, Integer]
      # @param updates [Hash{Symbol => Object}] values that JSON can write
      # @return [Hash{String => Object}] the whole context after the update
      # @raise [MissingChain] where there is no such chain (any more)
      # @raise [ArgumentError] for a value that JSON can't write
      # @example
      #   Resque::JobChain.update_context(params['_chain_id'], receipt: 'R-81')
      def update_context(chain_id, **updates)
        Context.update(chain_id.to_s, **updates)
      end

      # @return [Array<String>] ids of all chains that run or are paused; {chains} returns a page
      def active_chains
        Persistence.active_chains
      end

      # A page of the chains, the last started first. With one status, each page costs the same; without, the pages
      # before it are read as well.
      # @param status [Symbol, String, nil] :running, :paused, :cancelled, :completed or :failed; nil: all
      # @param limit [Integer] at the most so many
      # @param offset [Integer] how many to leave out
      # @return [Array<Hash{String => String}>] each as {status} returns it, with "id"
      # @raise [ArgumentError] for another status, or a limit or offset that is no Integer from 0 on
      # @example
      #   Resque::JobChain.chains(status: :failed, limit: 10).map { |chain| chain['error_message'] }
      def chains(status: nil, limit: 50, offset: 0)
        FairShare::Check.page(limit, offset)
        statuses = status ? [status_name(status)] : Persistence::STATUSES
        return [] if limit.zero? # The core would read whole indexes.

        old, *rows = list(statuses, offset, limit)
        if old.positive?
          Adoption.perform_all
          _, *rows = list(statuses, offset, limit)
        end
        rows.each_slice(2).map { |id, fields| fields.each_slice(2).to_h.merge('id' => id) }
      end

      # @return [Hash{String => Integer}] how many chains have each status
      def counts
        counts = Persistence.call_all { |native, connection| native.count(connection) }
        Persistence::STATUSES.zip(counts).to_h
      end

      # Ends a running or paused chain: its queued job is not performed, its running job ends without effect on it.
      # @param chain_id [String, Symbol, Integer]
      # @return [Boolean] false where there is no such chain, or it has ended
      def cancel(chain_id)
        Control.cancel(chain_id.to_s)
      end

      # Starts no further step until {resume}. The queued or running step still ends, and its end counts.
      # @param chain_id [String, Symbol, Integer]
      # @return [Boolean] false where there is no such chain, or it does not run
      def pause(chain_id)
        Control.pause(chain_id.to_s)
      end

      # Starts the steps that became due while the chain was paused.
      # @param chain_id [String, Symbol, Integer]
      # @return [Boolean] false where there is no such chain, or it is not paused
      # @raise [StepNotStartable] when a due step can't be started from this process; nothing has changed then
      # @raise [Contention] when the chain changes at each attempt
      def resume(chain_id)
        Control.resume(chain_id.to_s)
      end

      # Continues a failed chain from the step, or the members of its group, that failed. Their attempts count from 0
      # again.
      # @param chain_id [String, Symbol, Integer]
      # @return [Boolean] false where there is no such chain, or it has not failed
      # @raise [StepNotStartable] when such a step can't be started from this process; nothing has changed then
      # @raise [Contention] when the chain changes at each attempt
      def retry_failed(chain_id)
        Control.retry_failed(chain_id.to_s)
      end

      # Removes all keys of a chain that has ended.
      # @param chain_id [String, Symbol, Integer]
      # @return [Boolean] false where there is no such chain, or it runs or is paused
      def delete(chain_id)
        Control.delete(chain_id.to_s)
      end

      # Starts steps again whose job is nowhere: not queued, not running, not delayed, not failed. No worker calls it,
      # because it reads all queues and the failed list. A chain that can't go on from this process is logged and left
      # as it is.
      # @param older_than [Numeric] seconds since the chain's last transition
      # @return [Array<String>] ids of the chains that go on
      # @raise [ArgumentError] for a negative number, or no number
      # @example Every hour, from a scheduler
      #   Resque::JobChain.recover(older_than: 3600)
      def recover(older_than:)
        unless older_than.is_a?(Numeric) && older_than.real? && older_than >= 0
          raise ArgumentError, "older_than is #{FairShare::Guard.show(older_than)}; it must be seconds from 0 on"
        end

        Recovery.new(older_than).perform
      end

      # @return [Logger] where chains report errors they rescue: `config.logger`, else Resque's
      def logger
        configuration.logger || Resque.logger
      end

      # @private A unique name for a run or request, from a per-process PRNG; SecureRandom costs more than the rest of
      # the call.
      def fresh_name
        pid = FairShare::Native.pid
        @random = [pid, Random.new] unless @random&.first == pid
        @random.last.rand(36**10).to_s(36).rjust(10, '0') # steep:ignore NoMethod
      end

      # @private
      # @return [Integer] milliseconds for which a finished chain stays
      def ttl
        configuration.completed_chain_ttl * 1000
      end

      # @private
      # @return [String] an error's message, fit for Redis: short, valid UTF-8
      def message_of(error)
        FairShare::Guard.message_of(error)
      end

      private

      def list(statuses, offset, limit)
        Persistence.call_all { |native, connection| native.list(connection, statuses, offset, limit) }
      end

      def status_name(status)
        FairShare::Check.one_of(Persistence::STATUSES.map(&:to_sym), :status, status).to_s
      end
    end
  end
end
