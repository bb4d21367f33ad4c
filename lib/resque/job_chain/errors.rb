# frozen_string_literal: true

module Resque
  module JobChain
    # What all exceptions of chains descend from. A wrong value raises ArgumentError, trouble with Redis its own
    # classes.
    class Error < StandardError; end

    # There is no chain with that id (any more).
    class MissingChain < Error; end

    # A step can't be started from here: this process has not its class, or its job can't be made. The chain was not
    # changed.
    class StepNotStartable < Error; end

    # A chain kept changing while somebody tried to change it.
    class Contention < Error; end
  end
end
