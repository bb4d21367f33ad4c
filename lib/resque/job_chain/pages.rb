# frozen_string_literal: true

module Resque
  module JobChain
    # A long list, read in pages.
    # @private
    module Pages
      SIZE = 1000

      # @param read [Proc] gives the page from an offset on
      def self.each(read, &)
        from = 0
        loop do
          page = read.call(from)
          page.each(&)
          break if page.size < SIZE

          from += SIZE
        end
      end
    end
  end
end
