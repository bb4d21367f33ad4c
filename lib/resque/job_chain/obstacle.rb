# frozen_string_literal: true

module Resque
  module JobChain
    # The reason why steps could not be started: a hook vetoed one, or its job could not be made.
    # @private
    Obstacle = Struct.new(:vetoed, :step, :message, :error_class) do
      # @implements Obstacle

      def self.from(error, step)
        new(false, step, JobChain.message_of(error), error.class.to_s)
      end

      def self.veto(hooks, klass, step)
        new(true, step, "a #{hooks} hook of #{klass} vetoed step #{step}", 'Resque::JobChain::Vetoed')
      end

      # As `Native::Chain#fail` takes it.
      def as_failure
        [vetoed, message, error_class]
      end

      def notify(chain_id)
        Observable.notify(:step_vetoed, chain_id, step) if vetoed
        Observable.notify(:chain_failed, chain_id, step)
      end
    end
  end
end
