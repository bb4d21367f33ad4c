# frozen_string_literal: true

require_relative 'order'

module Demo
  module Chains
    # Checks the chains' statuses, and what their steps noted: is everything done, once, and in order?
    class Evidence
      # How many of the faults of one kind are named; the others are only counted.
      NAMED = 5

      # @param statuses [Hash{String => Hash}] of each chain, as JobChain.status gives it
      # @param journal [Journal]
      # @param crashes [Array<Crash>]
      def initialize(statuses, journal, crashes)
        @statuses = statuses
        @journal = journal
        @crashes = crashes
        @end_times = journal.end_times
      end

      # @return [Array<String>] what is wrong
      def faults
        { 'chains not complete' => incomplete,
          'steps without an end' => places - @end_times.keys,
          'steps with more than one end' => @end_times.select { |_, times| times.size > 1 }.keys,
          "steps started before their predecessor's end" => early,
          'steps attempted again, though no crash hit them' => repeated - hits,
          'crashes that found no step to hit' => @crashes.reject(&:hit).map { |crash| "kill -9 of #{crash.victim}" } }
          .reject { |_, found| found.empty? }.map { |what, found| sentence(what, found) }
      end

      # @param status [String]
      # @return [Integer] chains
      def count(status)
        @statuses.count { |_, state| state['status'] == status }
      end

      # @return [Integer] steps that have ended
      def performed
        @end_times.size
      end

      # @return [Array<Array(String, Integer)>] the step of each attempt that was not its first
      def repeated
        @journal.starts.group_by(&:place).flat_map { |place, starts| [place] * (starts.size - 1) }
      end

      # @return [Integer] starts of steps that have a predecessor
      def handovers
        @journal.starts.count { |start| Order.predecessors(start.step).any? }
      end

      private

      def places
        @statuses.keys.product([*0...Order::STEPS.size])
      end

      def incomplete
        @statuses.filter_map do |id, state|
          next if state['status'] == 'completed'

          error = ", #{state['error_class']}: #{state['error']}" if state['error_class']
          "#{id}, #{state['status'] || 'gone'} at #{Order::NAMES[state['current_step'].to_i]}#{error}"
        end
      end

      # All times are from one clock, see Support::Clock.
      def early
        @journal.starts.reject do |start|
          Order.predecessors(start.step).all? { |step| ended_by?([start.chain_id, step], start.time) }
        end.map(&:place)
      end

      def ended_by?(place, time)
        @end_times.key?(place) && @end_times[place].min <= time
      end

      def hits
        @crashes.filter_map(&:hit).map(&:place)
      end

      def sentence(what, found)
        named = found.first(NAMED).map { |place| place.is_a?(Array) ? "#{place[0]} #{Order::NAMES[place[1]]}" : place }
        "#{what}: #{found.size} (#{named.join('; ')}#{'; ...' if found.size > NAMED})"
      end
    end
  end
end
