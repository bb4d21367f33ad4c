# frozen_string_literal: true

module Resque
  module FairShare
    # The gem's version; the Cargo workspace carries the same one.
    VERSION = '0.2.0'
  end
end
