# frozen_string_literal: true

module Bench
  # Something that keeps the benchmark from being made, said to whoever runs it.
  class Error < StandardError; end
end
