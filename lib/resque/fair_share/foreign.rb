# frozen_string_literal: true

module Resque
  module FairShare
    # The instance variables of other libraries' objects that we use because there is no reader.
    # @private
    module Foreign
      MEMO = :@resque_fair_share_connection
      private_constant :MEMO

      module_function

      # Resque::DataStore has no reader for the client it was made with; it forwards most messages to it.
      # @return [Redis::Namespace, Redis, Object]
      def redis_of_resque
        data_store = Resque.redis
        data_store.instance_variable_get(:@redis) || data_store
      end

      # RedisClient::SentinelConfig has readers for everything but the role.
      # @return [String] `master` or `replica`
      def sentinel_role(config)
        config.instance_variable_get(:@role).to_s
      end

      # A redis-rb 4 client does not tell whether the application gave it a connector.
      # @return [Redis::Client::Connector, Object, nil]
      def connector(client)
        client.instance_variable_get(:@connector)
      end

      # Our own note. It is on the client because it has to live as long as the client does, and a client that is
      # swapped in has another.
      # @return [Array(Symbol, Connection), nil] the mode under which it was made, and the connection
      def connection(client)
        client.instance_variable_get(MEMO)
      end

      # @return [Connection]
      def keep_connection(client, mode, connection)
        client.instance_variable_set(MEMO, [mode, connection].freeze)
        connection
      end
    end
  end
end
