# frozen_string_literal: true

module Demo
  module Chains
    # A step's job noted that it started or ended, as one element of a Redis list. `pid` is the worker's child that
    # performed it, so it tells attempts apart. Times are seconds of Support::Clock.
    Event = Struct.new(:kind, :chain_id, :step, :pid, :worker, :time) do
      # @param line [String]
      def self.parse(line)
        kind, chain_id, step, pid, worker, time = line.split
        new(kind, chain_id, step.to_i, pid.to_i, worker.to_i, time.to_f)
      end

      def to_s
        to_a.join(' ')
      end

      def start?
        kind == 'start'
      end

      # @return [Array(String, Integer)] the step of the chain
      def place
        [chain_id, step]
      end

      # @return [Array(String, Integer, Integer)]
      def attempt
        [chain_id, step, pid]
      end
    end
    Event::LIST = 'chain_steps'
  end
end
