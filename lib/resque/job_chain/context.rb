# frozen_string_literal: true

require 'json'

module Resque
  module JobChain
    # The data that a chain's steps share: in Redis a HASH with a JSON value for each key, so that concurrent updates of
    # different keys don't undo each other.
    module Context
      module_function

      # @param chain_id [String, Symbol, Integer]
      # @return [Hash{String => Object}] empty where there is no such chain
      def load(chain_id)
        Persistence.load_context(chain_id)
      end

      # @param chain_id [String, Symbol, Integer]
      # @param updates [Hash{Symbol => Object}] values that JSON can write
      # @return [Hash{String => Object}] the whole context after the update
      # @raise [MissingChain] where there is no such chain (any more)
      # @raise [ArgumentError] for a value that JSON can't write
      def update(chain_id, **updates)
        Persistence.merge_context(chain_id, updates)
      end

      # @private
      # @return [Array<Array(String, String)>]
      # @raise [ArgumentError] for a value that JSON can't write
      def encode(values)
        values.map do |key, value|
          [key.to_s, JSON.generate(value)]
        rescue JSON::GeneratorError, JSON::NestingError, EncodingError => e
          raise ArgumentError, "the context's #{key.inspect} is #{FairShare::Guard.show(value)}, which can't be " \
                               "written as JSON: #{e.message}"
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
