# frozen_string_literal: true

module Resque
  module FairShare
    # What all exceptions of this gem descend from. Trouble with Redis is not among them: it raises Redis's own classes
    # (Redis::CannotConnectError, Redis::ConnectionError, Redis::TimeoutError, Redis::CommandError), so that existing
    # rescues work. A wrong value raises ArgumentError.
    class Error < StandardError; end

    # Redis, or something that stands in for it, gave a reply that no script of ours gives.
    class ProtocolError < Error; end

    # A job that 0.1.0 wrote twice, and that somebody who saw one copy only has taken. It ends in the failed list, not
    # run.
    class CopyGone < Error; end

    # The queue's payload is no job: not JSON, or not an object. Such an entry ends in the failed list.
    class MalformedPayload < Error; end
  end
end
