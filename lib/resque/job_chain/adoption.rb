# frozen_string_literal: true

require 'time'

module Resque
  module JobChain
    # The move of a running chain of resque-job-chain 0.1.0 to the present layout.
    # @private
    module Adoption
      module_function

      # @param started_at [String] ISO 8601
      # @param text [String] the context as 0.1.0 wrote it, in one JSON text
      def perform(chain_id, started_at, text)
        context = text.empty? ? {} : JSON.parse(text)
        Persistence.call(chain_id) do |native, connection|
          native.adopt(connection, JobChain.fresh_name, JobChain.ttl, text, milliseconds(started_at),
                       Context.encode(context))
        end
      end

      # Moves all of them, so that they are found by status.
      def perform_all
        active = Persistence.indexes.fetch(:active)
        Resque.redis.smembers(active).each do |chain_id|
          Damage.skip("chain #{chain_id}") do
            # A name without a chain: 0.1.0 has lost the chain.
            Snapshot.of(chain_id) || Resque.redis.srem(active, [chain_id])
          end
        end
      end

      # @return [Integer] since 1970; 0 for another text
      def milliseconds(text)
        (Time.iso8601(text).to_f * 1000).round
      rescue ArgumentError
        0
      end
    end
  end
end
