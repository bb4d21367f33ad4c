# frozen_string_literal: true

module Resque
  module JobChain
    # What all exceptions of chains descend from. A wrong value raises ArgumentError, trouble with Redis its own
    # classes.
    class Error < StandardError; end

    # There is no chain with that id (any more).
    class MissingChain < Error; end

    # A chain kept changing while somebody tried to change it.
    class Contention < Error; end
  end
end
