# frozen_string_literal: true

module Resque
  module JobChain
    # The strategies for a step that fails.
    module Strategies
      # The chain fails; none of its steps is started any more.
      module Abort
        # @return [Symbol]
        STRATEGY = :abort
      end

      # The step is tried again, up to its `max_attempts`; after the last one as {Abort}.
      module Retry
        # @return [Symbol]
        STRATEGY = :retry
      end

      # The step counts as skipped, and the chain goes on.
      module Skip
        # @return [Symbol]
        STRATEGY = :skip
      end

      # @return [Hash{Symbol => Module}] by name
      ALL = { abort: Abort, retry: Retry, skip: Skip }.freeze

      # @param name [Symbol, String]
      # @return [Module] {Abort}, {Retry} or {Skip}
      # @raise [ArgumentError] for another name
      def self.resolve(name)
        ALL.fetch(name.respond_to?(:to_sym) ? name.to_sym : name) do
          raise ArgumentError, "Unknown strategy: #{FairShare::Guard.show(name)}; it must be :abort, :retry or :skip"
        end
      end
    end
  end
end
