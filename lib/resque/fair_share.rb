# frozen_string_literal: true

require 'resque'

require_relative 'fair_share/version'
require_relative 'fair_share/errors'
require_relative 'fair_share/native'
require_relative 'fair_share/configuration'
require_relative 'fair_share/client_settings'
require_relative 'fair_share/connection'
require_relative 'fair_share/process_identity'
require_relative 'fair_share/resolver'
require_relative 'fair_share/queue'
require_relative 'fair_share/lease'
require_relative 'fair_share/reconciliation'
require_relative 'fair_share/dequeue'
require_relative 'plugins/fair_share'
require_relative 'fair_share/hooks'
require_relative 'fair_share/patches'

module Resque
  # Per-tenant fairness for Resque queues. Job classes extend {Resque::Plugins::FairShare}; workers run unchanged.
  module FairShare
    class << self
      # @return [Configuration] what {configure} changes
      def configuration
        @configuration ||= Configuration.new
      end

      # @yieldparam config [Configuration]
      # @raise [ArgumentError] for a value that can't be right, naming it
      # @example
      #   Resque::FairShare.configure { |config| config.max_in_flight = 10 }
      def configure
        yield(configuration)
      end

      # Back to the defaults.
      def reset_configuration!
        @configuration = Configuration.new
      end

      # Where the gem reports what it caught.
      # @return [Logger] `config.logger`, else Resque's
      def logger
        configuration.logger || Resque.logger
      end
    end
  end
end
