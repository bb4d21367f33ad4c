# frozen_string_literal: true

module Resque
  module FairShare
    # Where a data store's Redis is, and the namespace in front of its keys. The core connects by itself where it can.
    class Connection
      # Guards the memo on the client: two threads may ask first at once.
      MEMO = Mutex.new
      private_constant :MEMO

      class << self
        # What Resque uses now: `Resque.redis` can be swapped at run time.
        # @return [Array(Connection, String)] the connection and the prefix of its keys
        def current
          of(Resque.redis.instance_variable_get(:@redis) || Resque.redis)
        end

        # @param redis [Redis::Namespace, Redis, Object] what a Resque data store was made with
        # @return [Array(Connection, String)] the connection and the prefix of its keys
        def of(redis)
          prefix = ''
          while redis.is_a?(::Redis::Namespace)
            namespace = redis.namespace # may be a Proc's answer of this moment
            prefix = "#{namespace}:#{prefix}" unless namespace.nil?
            redis = redis.redis
          end
          [for_client(redis), prefix]
        end

        private

        # Kept on the client itself: it lives as long, and a swapped client has another.
        def for_client(client)
          mode = FairShare.configuration.connection
          known = client.instance_variable_get(:@resque_fair_share_connection)
          return known if known && known.mode.equal?(mode)

          MEMO.synchronize do
            client.instance_variable_set(:@resque_fair_share_connection, new(client, mode))
          end
        end
      end

      # @return [Symbol] `:auto`, `:native` or `:ruby`
      attr_reader :mode
      # @return [Native::Connection, nil] nil: by way of the client
      attr_reader :native

      def initialize(client, mode)
        @client = client
        @mode = mode
        expressible = mode != :ruby && ClientSettings.expressible?(client)
        if mode == :native && !expressible
          raise ArgumentError, "connection is :native, but the core can't reach what #{client.class} reaches; " \
                               'use :auto or :ruby'
        end
        @native = Native::Connection.open if expressible
        @queues = {}
        @workers = {}
      end

      # @return [Queue] always the same one, since it remembers what is unanswered
      def queue(prefix, name)
        queues = @queues[prefix]
        (queues && queues[name.to_s]) || MEMO.synchronize do
          (@queues[prefix] ||= {})[name.to_s] ||= Queue.new(self, prefix, name.to_s)
        end
      end

      # @return [Native::Workers] that write over this connection
      def workers(prefix)
        @workers[prefix] ||= Native::Workers.new(prefix)
      end

      # @return [Hash] see {ClientSettings.read}
      def settings
        ClientSettings.read(@client)
      end

      # One command by way of the client. Called by the core.
      # @param words [Array<String>]
      def call(words)
        return @client.call(*words) if @client.respond_to?(:call) || !@client.respond_to?(:with)

        @client.with { |client| client.call(*words) }
      end
    end
  end
end
