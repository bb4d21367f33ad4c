# frozen_string_literal: true

module Resque
  module FairShare
    # Reads a Redis client's settings as fields, for redis-rb 4, 5 and 6: never from a URL, which has no credentials.
    # @private
    module ClientSettings
      module_function

      # @return [Boolean] whether the core can connect to the client's Redis; it can't for Distributed, Cluster, a pool,
      #   a fake or a custom connector
      def expressible?(client)
        return false unless defined?(::Redis) && client.instance_of?(::Redis)

        inner = client._client
        inner.respond_to?(:config) ? expressible_config?(inner.config) : expressible_options?(inner)
      end

      # Called at each connect, so that a password from a callable is fresh.
      # @return [Hash] the settings that the core connects with
      def read(client)
        inner = client._client
        inner.respond_to?(:config) ? from_config(inner.config) : from_options(inner.options)
      end

      # redis-client, and so redis-rb 5 and 6.
      def from_config(config)
        {
          **address_from_config(config),
          db: config.db,
          username: config.username,
          password: config.password,
          tls: config.ssl ? tls(config.ssl_params) : nil,
          connect_timeout: seconds(config.connect_timeout),
          read_timeout: seconds(config.read_timeout),
          write_timeout: seconds(config.write_timeout)
        } #: settings
      end

      # With Sentinel the address is not known before the connect.
      def address_from_config(config)
        return { sentinels: sentinels_from_config(config) } if config.respond_to?(:sentinel?) && config.sentinel?

        { host: config.host, port: config.port, path: config.path }
      end

      def sentinels_from_config(config)
        nodes = config.sentinels
        first = nodes.first
        {
          name: config.name,
          role: Foreign.sentinel_role(config),
          nodes: nodes.map { |node| [node.host, node.port] },
          username: first&.username,
          password: first&.password,
          tls: first&.ssl ? tls(first.ssl_params) : nil
        }
      end

      # redis-rb 4.
      def from_options(options)
        {
          host: options[:host],
          port: options[:port]&.to_i,
          path: options[:path],
          db: options[:db].to_i,
          username: options[:username],
          password: callable(options[:password]),
          tls: tls_from_options(options),
          connect_timeout: seconds(options[:connect_timeout]),
          read_timeout: seconds(options[:read_timeout]),
          write_timeout: seconds(options[:write_timeout]),
          sentinels: options[:sentinels] ? sentinels_from_options(options) : nil
        }
      end

      def tls_from_options(options)
        tls(options[:ssl_params]) if options[:ssl] || options[:scheme] == 'rediss'
      end

      def sentinels_from_options(options)
        nodes = options[:sentinels].map { |node| node.transform_keys(&:to_sym) }
        {
          name: options[:host],
          role: options[:role].to_s,
          nodes: nodes.map { |node| [node[:host], node[:port].to_i] },
          username: nodes.first[:username],
          password: nodes.first[:password],
          tls: nil
        }
      end

      def seconds(timeout)
        timeout&.to_f
      end

      def callable(password)
        password.respond_to?(:call) ? password.call : password
      end

      def tls(params)
        params = (params || {}).transform_keys(&:to_sym)
        {
          verify: params[:verify_mode] != OpenSSL::SSL::VERIFY_NONE,
          ca_file: params[:ca_file],
          ca_path: params[:ca_path],
          cert: pem(params[:cert]),
          key: pem(params[:key]),
          server_name: params[:hostname]
        }
      end

      def pem(part)
        return if part.nil?
        return part.to_pem if part.respond_to?(:to_pem)

        part.include?('-----BEGIN') ? part : File.read(part)
      end

      def expressible_config?(config)
        exportable_tls?(config.ssl_params)
      end

      def expressible_options?(inner)
        connector = Foreign.connector(inner)
        stock = [::Redis::Client::Connector, ::Redis::Client::Connector::Sentinel]
        (connector.nil? || stock.include?(connector.class)) && exportable_tls?(inner.options[:ssl_params])
      end

      # A certificate store can't be read back.
      def exportable_tls?(params)
        params.nil? || (params[:cert_store].nil? && params['cert_store'].nil?)
      end
    end
  end
end
