# frozen_string_literal: true

module Resque
  module Plugins
    # Makes the jobs of a class that extends it take fair turns by partition.
    #
    # @example
    #   class SyncJob
    #     extend Resque::Plugins::FairShare
    #     @queue = :default
    #     fair_share_on :account_id
    #
    #     def self.perform(params); end
    #   end
    module FairShare
      include Resque::FairShare::HookLookup

      # Tells where a job's partition is. Without it, `config.partition_key` is looked up.
      # @param key [Symbol, String] key in one of the Hash arguments
      # @yieldparam args [Array] all arguments as perform gets them; the block gives the partition
      # @return [Proc, Symbol, String, nil] the rule
      # @raise [ArgumentError] for a key that is neither a Symbol nor a String
      # @example
      #   fair_share_on :account_id
      #   fair_share_on { |args| args.first['account_id'] }
      def fair_share_on(key = nil, &block)
        unless key.nil? || key.is_a?(Symbol) || key.is_a?(String)
          raise ArgumentError, "#{self}: fair_share_on got #{key.inspect}; it takes a Symbol, a String or a block"
        end

        @fair_share_rule = block || key || @fair_share_rule
      end

      # @return [Proc, Symbol, String, nil] this class's rule, else its superclass's
      # @private
      def fair_share_rule
        return @fair_share_rule if @fair_share_rule

        # steep:ignore:start
        superclass.fair_share_rule if respond_to?(:superclass) && superclass.respond_to?(:fair_share_rule)
        # steep:ignore:end
      end

      # A hook of resque-scheduler: refuses a job at `enqueue_in` and `enqueue_at` that can't be enqueued at its time.
      # @return [void]
      # @raise [ArgumentError] as Resque.enqueue: for a job without partition, or that no worker could read
      def before_schedule_fair_share(*args)
        # It is called at that time, too, when an error would leave the job nowhere.
        return if Resque.inline? || Resque::FairShare::Scheduled.due?

        payload = Resque.encode(class: to_s, args: args)
        Resque::FairShare::Payload.check(payload, self)
        Resque::FairShare::Resolver.partition(self, Resque::FairShare::Native.job(payload).last)
      end

      # A hook of resque-fair-share 0.1.0. Counting is not done in hooks any more (a job can end without any of them),
      # so it does nothing; code that calls or overrides it by name still works.
      def after_enqueue_fair_share(*_args); end

      # @see #after_enqueue_fair_share
      def before_perform_fair_share(*_args); end

      # @see #after_enqueue_fair_share
      def after_perform_fair_share(*_args); end

      # @see #after_enqueue_fair_share
      def on_failure_fair_share(*_args); end
    end
  end
end
