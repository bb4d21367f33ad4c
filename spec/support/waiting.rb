# frozen_string_literal: true

# Specs wait for a condition, never for a time.
module Waiting
  def wait_until(what = 'the condition', seconds: 20)
    deadline = now + seconds
    until (result = yield)
      raise "waited #{seconds} s for #{what}" if now > deadline

      sleep 0.01
    end
    result
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
