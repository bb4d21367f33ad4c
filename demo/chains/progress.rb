# frozen_string_literal: true

require 'io/console'
require_relative '../clock'
require_relative '../glyphs'
require_relative '../progress'
require_relative 'order'

module Demo
  module Chains
    # How far the chains are: a bar for each step that is drawn anew where there is a terminal, else a line every few
    # seconds.
    class Progress
      BAR = 40

      # @param chains [Integer]
      def initialize(chains, out = $stdout)
        @chains = chains
        @out = out
        @terminal = Demo::Progress.terminal?(out)
        @started = @shown = Clock.now
        @drawn = 0
      end

      # @param steps [Array<Integer>] chains in which each step has ended
      # @param completed [Integer] chains
      def show(steps, completed)
        return draw(bars(steps, completed)) if @terminal
        return if Clock.now - @shown < Demo::Progress::PLAIN_LINE

        @shown = Clock.now
        say line(steps, completed)
      end

      # A line that stays.
      def say(text)
        wipe
        @out.puts text
      end

      # @param steps [Array<Integer>]
      # @param completed [Integer]
      def finish(steps, completed)
        @terminal ? draw(bars(steps, completed)) : say(line(steps, completed))
        @drawn = 0
      end

      private

      def draw(lines)
        wipe
        columns = @out.winsize.last
        @out.puts(lines.map { |line| columns.positive? ? line[0, columns - 1] : line })
        @drawn = lines.size
      end

      def wipe
        @out.print "\e[#{@drawn}A\e[J" if @drawn.positive?
        @drawn = 0
      end

      def bars(steps, completed)
        Order::NAMES.zip(steps).map do |name, count|
          "  #{name.ljust(8)}#{Glyphs.bar(BAR, count.fdiv(@chains), 1)}  #{of(count)}"
        end + ["  chains completed: #{of(completed)}, #{seconds}"]
      end

      def line(steps, completed)
        names = Order::NAMES.zip(steps).map { |name, count| "#{name} #{count}" }
        "#{names.join('   ')}   chains completed #{of(completed)}   #{seconds}"
      end

      def of(count)
        "#{Glyphs.number(count)}/#{Glyphs.number(@chains)}"
      end

      def seconds
        "#{(Clock.now - @started).round} s"
      end
    end
  end
end
