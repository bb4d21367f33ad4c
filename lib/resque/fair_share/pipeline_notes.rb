# frozen_string_literal: true

module Resque
  module FairShare
    # Poses as the pipeline in which Resque counts a worker's jobs, and notes the commands.
    # @private
    class PipelineNotes < BasicObject
      def initialize
        @calls = []
      end

      def method_missing(name, *arguments) # rubocop:disable Style/MissingRespondToMissing
        @calls << [name, arguments]
        nil
      end

      # @return [Array<Array(String, Integer)>, nil] key and growth of each counter; nil where other commands are there
      def __counters__
        @calls.map { |_, arguments| arguments } if @calls.all? { |name, _| name == :incrby }
      end

      def __replay__(pipe)
        @calls.each { |name, arguments| pipe.public_send(name, *arguments) }
      end
    end
  end
end
