# frozen_string_literal: true

require 'resque-fair-share-rs'
require_relative '../../bin/support/clock'
require_relative 'event'

module Demo
  module Chains
    # A step works, and notes when it started and ended.
    module Work
      include Resque::Plugins::JobChain

      # @param params [Hash] `ms` says how long it works
      def perform(params)
        note('start', params, Support::Clock.now)
        sleep(params['ms'] / 1000.0)
        note('end', params, Support::Clock.now)
      end

      private

      def note(kind, params, time)
        event = Event.new(kind, *params.values_at('_chain_id', '_step_index'), Process.pid, Process.ppid, time)
        Resque.redis.rpush(Event::LIST, event.to_s)
      end
    end

    # The first step.
    class FetchOrder
      extend Work

      @queue = :orders
    end

    # Customers take turns here.
    class ChargePayment
      extend Work
      extend Resque::Plugins::FairShare

      @queue = :payments
      fair_share_on :customer
    end

    # Runs while the receipt is sent.
    class ShipOrder
      extend Work

      @queue = :shipping
    end

    # Runs while the order is shipped.
    class SendReceipt
      extend Work

      @queue = :shipping
    end

    # The last step.
    class CloseOrder
      extend Work

      @queue = :closing
    end
  end
end
