# frozen_string_literal: true

require 'io/console'
require_relative 'clock'
require_relative 'glyphs'
require_relative 'tenants'

module Demo
  # How far a run is: a line that is drawn anew where there is a terminal, else a line every few seconds.
  class Progress
    PLAIN_LINE = 2
    BAR = 20

    # @return [Boolean] whether what was written there can be written over
    def self.terminal?(out)
      out.tty? && ENV['TERM'] != 'dumb'
    end

    def initialize(out = $stdout)
      @out = out
      @terminal = Progress.terminal?(out)
    end

    def start(title, tenants)
      @title = title
      @whale = tenants.jobs_of(Tenants::WHALE)
      @small = tenants.total - @whale
      @started = @shown = Clock.now
    end

    # @param done [Integer] jobs that are done
    # @param whale [Integer] the whale's among them
    def show(done, whale)
      return draw(done, whale) if @terminal
      return if Clock.now - @shown < PLAIN_LINE

      @shown = Clock.now
      @out.puts line(done, whale)
    end

    def finish(result)
      count = Glyphs.number(result.records.size)
      @out.print "\r\e[K" if @terminal
      @out.puts "#{@title.ljust(6)}#{count} of #{Glyphs.number(@whale + @small)} jobs done " \
                "in #{Glyphs.seconds(result.seconds)}"
    end

    private

    # A line that the terminal had to break could not be drawn over.
    def draw(done, whale)
      shown = line(done, whale, "#{Glyphs.bar(BAR, done.fdiv(@whale + @small), 1)}  ")
      columns = @out.winsize.last
      @out.print "\r\e[K", columns.positive? ? shown[0, columns - 1] : shown
    end

    def line(done, whale, bar = '')
      "#{@title.ljust(6)}#{bar}#{of(done, @whale + @small)} jobs   whale #{of(whale, @whale)}   " \
        "small #{of(done - whale, @small)}   #{(Clock.now - @started).round} s"
    end

    def of(done, all)
      "#{Glyphs.number(done)}/#{Glyphs.number(all)}"
    end
  end
end
