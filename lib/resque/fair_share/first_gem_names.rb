# frozen_string_literal: true

module Resque
  module FairShare
    # @deprecated The name that resque-fair-share 0.1.0 had before {Resque::Plugins::FairShare}.
    Hooks = Resque::Plugins::FairShare

    # The dequeue of resque-fair-share 0.1.0.
    # @deprecated Use `Resque.pop` or `Resque.reserve`, which take fair turns as well.
    module Dequeue
      # @param queue [String, Symbol]
      # @return [Hash, nil] the next job's payload, leased to this process until
      #   `Resque::Job.new(queue, payload).perform` has ended or the process has
      def self.perform(queue)
        Resque.pop(queue)
      end
    end
  end
end
