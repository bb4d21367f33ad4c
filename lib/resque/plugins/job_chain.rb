# frozen_string_literal: true

module Resque
  module Plugins
    # Extend a job class with it to make it a step of chains. Does nothing yet.
    module JobChain
    end
  end
end
