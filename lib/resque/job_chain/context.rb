# frozen_string_literal: true

require 'json'

module Resque
  module JobChain
    # What the steps of a chain share: in Redis a HASH, with a JSON value for each key, so that updates at the same time
    # don't undo each other.
    module Context
      module_function

      # @return [Hash] String keys; empty where there is none
      def load(chain_id)
        Persistence.load_context(chain_id)
      end

      # @return [Hash] the whole context after the update
      # @raise [MissingChain]
      def update(chain_id, **updates)
        Persistence.merge_context(chain_id, updates)
      end

      # @private
      # @return [Array<Array(String, String)>]
      # @raise [ArgumentError] for what is not JSON
      def encode(values)
        values.map do |key, value|
          [key.to_s, JSON.generate(value)]
        rescue JSON::GeneratorError, JSON::NestingError, EncodingError => e
          raise ArgumentError, "the context's #{key.inspect} is #{value.inspect[0, 200]}, which can't be written as " \
                               "JSON: #{e.message}"
        end
      end

      # @private
      # @param flat [Array<String>] field, value, ...
      # @return [Hash]
      def decode(flat)
        flat.each_slice(2).to_h { |field, value| [field.to_s, JSON.parse(value.to_s)] }
      end
    end
  end
end
