# frozen_string_literal: true

module Resque
  module FairShare
    # All exceptions of this gem descend from it. Trouble with Redis is not among them: it raises Redis's own classes
    # (Redis::CannotConnectError, Redis::ConnectionError, Redis::TimeoutError, Redis::CommandError), so that existing
    # rescues work. A wrong value raises ArgumentError.
    class Error < StandardError; end

    # Redis, or a substitute for it, gave a reply that no script of this gem gives.
    class ProtocolError < Error; end

    # The job was written twice by resque-fair-share 0.1.0, and somebody who saw only one copy has taken that. It ends
    # in the failed list, not run.
    class CopyGone < Error; end

    # The queue's payload is no job: not JSON, or not an object. Such an entry ends in the failed list.
    class MalformedPayload < Error; end
  end
end
