# frozen_string_literal: true

module Resque
  module FairShare
    # Resque's failed list, for what can't be performed. The backend behind it may be a user's own: when it raises, the
    # log has the payload, and the worker goes on. Trouble with Redis raises, as everywhere.
    # @private
    module FailedList
      module_function

      # @param payload [Hash, String] the job; text that is no job is shown as the argument of one
      # @param error [Exception]
      # @param queue [String]
      def add(payload, error, queue)
        job = payload.is_a?(String) ? { 'class' => MalformedPayload.name, 'args' => [Guard.text(payload)] } : payload
        Resque::Failure.create(payload: job, exception: error, worker: ProcessIdentity.owner, queue: queue)
      rescue ::Redis::BaseError
        raise
      rescue *Guard::ERRORS => e
        Guard.log(:error, "resque-fair-share: the failure backend raised #{Guard.describe(e)}; it was to note that " \
                          "queue #{queue} held #{Guard.show(payload, 2000)}: #{Guard.describe(error)}")
      end
    end
  end
end
