# frozen_string_literal: true

module Support
  # The program cannot go on. The message is for the person who started it.
  class Error < StandardError; end
end
