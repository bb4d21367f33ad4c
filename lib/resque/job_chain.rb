# frozen_string_literal: true

require 'resque'
require_relative 'fair_share/version'
require_relative 'job_chain/configuration'
require_relative 'plugins/job_chain'

module Resque
  # Ordered chains of jobs. Not there yet: for now only its configuration, so that an initializer loads.
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
    end
  end
end
