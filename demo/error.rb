# frozen_string_literal: true

module Demo
  # The demo can't go on. The message is for the person who started it.
  class Error < StandardError; end
end
