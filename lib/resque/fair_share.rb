# frozen_string_literal: true

require 'resque'

require_relative 'fair_share/version'
require_relative 'fair_share/errors'
require_relative 'fair_share/native'
require_relative 'fair_share/guard'
require_relative 'fair_share/check'
require_relative 'fair_share/configuration'
require_relative 'fair_share/foreign'
require_relative 'fair_share/client_settings'
require_relative 'fair_share/connection'
require_relative 'fair_share/outage'
require_relative 'fair_share/process_identity'
require_relative 'fair_share/gauges'
require_relative 'fair_share/ticket'
require_relative 'fair_share/payload'
require_relative 'fair_share/failed_list'
require_relative 'fair_share/scheduled'
require_relative 'fair_share/resolver'
require_relative 'fair_share/routes'
require_relative 'fair_share/standing'
require_relative 'fair_share/part'
require_relative 'fair_share/leases'
require_relative 'fair_share/turns'
require_relative 'fair_share/backlog'
require_relative 'fair_share/peek'
require_relative 'fair_share/upkeep'
require_relative 'fair_share/control'
require_relative 'fair_share/partition'
require_relative 'fair_share/queue'
require_relative 'fair_share/lease'
require_relative 'fair_share/loose_end'
require_relative 'fair_share/reconciliation'
require_relative 'fair_share/migration'
require_relative 'fair_share/enqueue_all'
require_relative 'fair_share/hook_lookup'
require_relative 'plugins/fair_share'
require_relative 'fair_share/first_gem_names'
require_relative 'fair_share/pipeline_notes'
require_relative 'fair_share/patches'
require_relative 'fair_share/warm_up'
require_relative 'fair_share/json_check'

module Resque
  # Per-tenant fairness for Resque queues. Job classes extend {Resque::Plugins::FairShare}; workers run unchanged.
  module FairShare
    class << self
      # @return [Configuration] the settings that {configure} changes
      def configuration
        @configuration ||= Configuration.new
      end

      # Changes settings.
      # @yieldparam config [Configuration]
      # @return [Object] of the block
      # @raise [ArgumentError] for a value that can't be right, naming it
      # @example
      #   Resque::FairShare.configure { |config| config.max_in_flight = 10 }
      def configure
        yield(configuration)
      end

      # Sets all settings back to their defaults.
      # @return [Configuration]
      def reset_configuration!
        @configuration = Configuration.new
      end

      # @return [Array<String>] names of the queues that have fair-share state now: jobs that wait in partitions, or run
      def queues
        Resque.queues.select { |name| Check.text?(name) && Queue.current(name).standing.look }.sort
      end

      # @param name [String, Symbol]
      # @return [Queue] also when it is empty
      # @example
      #   Resque::FairShare.queue('default').stats
      def queue(name)
        Queue.current(name.to_s)
      end

      # Enqueues many jobs of one class, one round trip a thousand. Hooks run as in Resque.enqueue. A batch of a
      # thousand is written whole or not at all.
      # @param klass [Class] extends {Resque::Plugins::FairShare}
      # @param list [Array<Array>] arguments of each job
      # @param queue [String, Symbol, nil] default: the class's own
      # @return [Integer] jobs enqueued (a before_enqueue hook may veto some)
      # @raise [ArgumentError] for a job without partition or anything else that can't be enqueued; nothing is written
      #   then
      # @example
      #   Resque::FairShare.enqueue_all(SyncJob, accounts.map { |account| [{ account_id: account.id }] })
      def enqueue_all(klass, list, queue: nil)
        EnqueueAll.perform(klass, list, queue)
      end

      # The gem reports errors to it that it has handled.
      # @return [Logger] `config.logger`, else Resque's
      def logger
        configuration.logger || Resque.logger
      end
    end
  end
end

Resque::FairShare::JsonCheck.complaint&.then { |complaint| warn(complaint) }
