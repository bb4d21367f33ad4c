# frozen_string_literal: true

module Resque
  module JobChain
    # What happens when a step fails.
    module Strategies
      # The chain fails, and nothing more of it is started.
      module Abort
        STRATEGY = :abort
      end

      # The step is tried again, up to its `max_attempts`; then as {Abort}.
      module Retry
        STRATEGY = :retry
      end

      # The step counts as skipped, and the chain goes on.
      module Skip
        STRATEGY = :skip
      end

      ALL = { abort: Abort, retry: Retry, skip: Skip }.freeze

      # @param name [Symbol, String]
      # @return [Module] {Abort}, {Retry} or {Skip}
      # @raise [ArgumentError] for another name
      def self.resolve(name)
        ALL.fetch(name.respond_to?(:to_sym) ? name.to_sym : name) do
          raise ArgumentError, "Unknown strategy: #{name.inspect}; it must be :abort, :retry or :skip"
        end
      end
    end
  end
end
