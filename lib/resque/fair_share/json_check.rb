# frozen_string_literal: true

require 'json'

module Resque
  module FairShare
    # Resque decodes with multi_json. Its version 1.19 passes json 3 an option that json 3 refuses: then no worker can
    # read a job, and each dies by its first one.
    # @private
    module JsonCheck
      # @return [String, nil] what is wrong, in one sentence
      def self.complaint
        return if JSON::VERSION.to_i < 3

        Resque.decode('{}')
        nil
      rescue *Guard::ERRORS => e
        version = Gem.loaded_specs['multi_json']&.version # steep:ignore NoMethod
        "resque-fair-share: Resque can't decode a job with json #{JSON::VERSION} and multi_json #{version} " \
          "(#{Guard.describe(e)}): add gem 'json', '< 3' to the Gemfile, or a newer multi_json."
      end
    end
  end
end
