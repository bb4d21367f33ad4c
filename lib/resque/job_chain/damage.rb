# frozen_string_literal: true

module Resque
  module JobChain
    # What somebody else has written over: one chain, or one entry of Resque's, must not stop the look at all others.
    # @private
    module Damage
      module_function

      # @param what [String] for the log
      # @return [Object, nil] the block's value; nil where it found damage, which is logged
      # @raise [Redis::BaseError] for trouble with Redis itself
      def skip(what)
        yield
      rescue StepNotStartable, Contention
        raise
      rescue ::Redis::BaseError => e
        raise unless e.message.include?('WRONGTYPE')

        report(what, e)
      rescue StandardError => e
        report(what, e)
      end

      def report(what, error)
        Observable.report(:error, "#{what} is damaged and left out: #{error.class}: #{JobChain.message_of(error)}")
        nil
      end
    end
  end
end
