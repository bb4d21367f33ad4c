# frozen_string_literal: true

require_relative '../../bin/support/clock'
require_relative 'order'

module Demo
  module Chains
    # A kill -9 in the middle of a step.
    class Crash
      # @return [Event, nil] the start of the attempt that was hit; nil before
      attr_reader :hit
      # @return [Float, nil] when
      attr_reader :time

      # @param victim [Symbol] `:child` or `:worker`, which is killed with its child
      # @param due [Integer] after how many steps it is to happen
      def initialize(victim, due)
        @victim = victim
        @due = due
      end

      # @param steps [Integer] how many have ended
      def due?(steps)
        @hit.nil? && steps >= @due
      end

      # Does nothing, and {#hit} stays nil, when no running step may be hit.
      # @param journal [Journal]
      # @param pool [WorkerPool]
      def perform(journal, pool)
        @hit = candidates(journal).find { |start| halt(start, journal) }
        return unless @hit

        @time = Support::Clock.now
        journal.killed(@hit)
        @victim == :child ? Process.kill(:KILL, @hit.pid) : pool.replace(@hit.worker)
      end

      # @return [String] what it killed
      def victim
        @victim == :child ? "a worker's child" : 'a worker with its child'
      end

      # @return [String] where it was
      def place
        "#{Order::NAMES[@hit.step]} of #{@hit.chain_id}"
      end

      private

      # The newest first: they have the most left to do. Not a first step: its next attempt would wait behind all
      # chains that have not begun, and the pause would say nothing about the crash.
      def candidates(journal)
        journal.running.reverse.reject { |start| Order.predecessors(start.step).empty? }
      end

      # A stopped process cannot end the step, so it is certain that the step has started and not ended. By its second
      # answer Redis has read whatever the process sent before the stop.
      def halt(start, journal)
        target = @victim == :child ? start.pid : -start.worker
        Process.kill(:STOP, target)
        2.times { journal.read }
        return true if journal.running.include?(start)

        Process.kill(:CONT, target)
        false
      rescue Errno::ESRCH
        false # it has ended meanwhile
      end
    end
  end
end
