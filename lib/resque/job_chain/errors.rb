# frozen_string_literal: true

module Resque
  module JobChain
    # The base class of all exceptions of chains. A wrong value raises ArgumentError, trouble with Redis the classes of
    # the redis gem.
    class Error < StandardError; end

    # There is no chain with that id (any more).
    class MissingChain < Error; end

    # A step can't be started from this process: its class is missing here, or its job can't be made. The chain was not
    # changed.
    class StepNotStartable < Error; end

    # Other processes changed the chain at each attempt to change it.
    class Contention < Error; end
  end
end
