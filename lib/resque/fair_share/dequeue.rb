# frozen_string_literal: true

module Resque
  module FairShare
    # The dequeue of resque-fair-share 0.1.0, by its name.
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
