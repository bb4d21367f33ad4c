# frozen_string_literal: true

module Resque
  module FairShare
    # Connects to the Redis of a data store: from the core where it can, else through Resque's client.
    # @private
    class Connection < Native::Connection
      # Two threads may ask first at once.
      LOCK = Mutex.new
      private_constant :LOCK

      class << self
        # To what Resque uses now: `Resque.redis` can be swapped at run time.
        # @return [Array(Connection, String)] the connection and the prefix of its keys
        def current
          of(Foreign.redis_of_resque)
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

        def for_client(client)
          mode = FairShare.configuration.connection
          known_mode, known = Foreign.connection(client)
          return known if known && known_mode.equal?(mode)

          LOCK.synchronize { Foreign.keep_connection(client, mode, new(client, mode)) }
        end
      end

      # @param client [Redis, Object] without namespace
      # @param mode [Symbol] `:auto`, `:native` or `:ruby`
      # @raise [ArgumentError] for `:native` and a client whose Redis the core can't reach
      def initialize(client, mode)
        super()
        @client = client
        @queues = {}
        @workers = {}
        return if mode != :ruby && ClientSettings.expressible?(client)

        if mode == :native
          raise ArgumentError, "connection is :native, but the core can't reach what #{client.class} reaches; " \
                               'use :auto or :ruby'
        end
        use_client
      end

      # @return [Queue] always the same one, since it remembers what is unanswered
      def queue(prefix, name)
        queues = @queues[prefix]
        (queues && queues[name.to_s]) || LOCK.synchronize do
          (@queues[prefix] ||= {})[name.to_s] ||= Queue.new(self, prefix, name.to_s)
        end
      end

      # @return [Native::Workers] that write over this connection
      def workers(prefix)
        @workers[prefix] ||= Native::Workers.new(prefix)
      end

      # The core calls it at each connect.
      # @return [Hash] see {ClientSettings.read}
      def settings
        ClientSettings.read(@client)
      end

      # Sends one command through the client. The core calls it after `use_client`.
      # @param words [Array<String>]
      # @return [Object] the reply
      def call(words)
        client = @client
        return client.call(*words) if client.respond_to?(:call) || !client.respond_to?(:with)

        client.with { |one| one.call(*words) }
      end
    end
  end
end
