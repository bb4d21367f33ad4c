# frozen_string_literal: true

module Resque
  module FairShare
    # @deprecated The name that resque-fair-share 0.1.0 had before {Resque::Plugins::FairShare}.
    Hooks = Resque::Plugins::FairShare
  end
end
