# frozen_string_literal: true

module Resque
  module FairShare
    # All settings, each checked where it is given.
    # @example
    #   Resque::FairShare.configure do |config|
    #     config.max_in_flight = 10
    #     config.queue 'imports', max_in_flight: 5, charge: :jobs
    #   end
    class Configuration
      # The values of {#dequeue_strategy}.
      STRATEGIES = %i[sub_queues legacy_scan].freeze
      # The values of {#charge}.
      CHARGES = %i[time jobs].freeze
      # The values of {#connection}.
      CONNECTIONS = %i[auto native ruby].freeze

      # The settings that one queue may have of its own.
      # @private
      Overrides = Struct.new(:max_in_flight, :weight, :charge)

      # @return [Symbol] how the next job is found: `:sub_queues` (default), or `:legacy_scan`, which looks at the first
      #   jobs of the plain list
      attr_reader :dequeue_strategy
      # @return [Integer] running jobs a partition may have, over all workers; 0: any number. Default 50.
      attr_reader :max_in_flight
      # @return [Symbol, String] the key looked up in the job's Hash arguments; default `:account_id`
      attr_reader :partition_key
      # @return [Integer, nil] position of the argument that is the partition where no Hash has the key; counted from 0
      attr_reader :partition_index
      # @return [Integer] jobs that `:legacy_scan` looks at
      attr_reader :scan_size
      # @return [#gauge, nil] gets the partitions' counts
      attr_reader :statsd_client
      # @return [Numeric, #call] weight of a partition, above 0; or `->(partition) { number }`, asked at enqueue.
      #   Default 1.
      attr_reader :weight
      # @return [Symbol] what a job costs its partition: the `:time` it ran, or the same for all `:jobs`
      attr_reader :charge
      # @return [Symbol] `:auto`, `:native` (the core's own connection) or `:ruby` (Resque's client)
      attr_reader :connection
      # @return [Numeric] seconds for which a worker waits while Redis can't be reached or can't serve; default 30
      attr_reader :patience
      # @return [Logger, nil] else Resque.logger
      attr_accessor :logger

      # The defaults.
      def initialize
        @dequeue_strategy = :sub_queues
        @max_in_flight = 50
        @partition_key = :account_id
        @partition_index = nil
        @scan_size = 100
        @statsd_client = nil
        @weight = 1
        @charge = :time
        @connection = :auto
        @patience = 30
        @logger = nil
        @queues = {}
      end

      # @param value [Symbol, String] `:sub_queues` or `:legacy_scan`
      # @raise [ArgumentError] for another value, naming it
      def dequeue_strategy=(value)
        @dequeue_strategy = Check.one_of(STRATEGIES, :dequeue_strategy, value)
      end

      # @private
      # @return [Boolean]
      def legacy_scan?
        @dequeue_strategy == :legacy_scan
      end

      # @param value [Integer, nil] running jobs a partition may have; 0 or nil: any number
      # @raise [ArgumentError] for another value, naming it
      def max_in_flight=(value)
        @max_in_flight = check_max_in_flight(value)
      end

      # @param value [Symbol, String] key in one of a job's Hash arguments
      # @raise [ArgumentError] for another value, naming it
      def partition_key=(value)
        @partition_key = Check.word(:partition_key, value)
      end

      # @param value [Integer, nil] position of an argument, from 0 on; nil: none
      # @raise [ArgumentError] for another value, naming it
      def partition_index=(value)
        unless value.nil? || (value.is_a?(Integer) && value >= 0)
          raise ArgumentError, "partition_index is #{Guard.show(value)}; it must be an Integer from 0 on, or nil"
        end

        @partition_index = value
      end

      # @param value [Integer] jobs, above 0
      # @raise [ArgumentError] for another value, naming it
      def scan_size=(value)
        unless value.is_a?(Integer) && value.positive?
          raise ArgumentError, "scan_size is #{Guard.show(value)}; it must be an Integer above 0"
        end

        @scan_size = value
      end

      # @param value [#gauge, nil] gets `gauge(name, number)`
      # @raise [ArgumentError] for an object without `gauge`
      def statsd_client=(value)
        unless value.nil? || value.respond_to?(:gauge)
          raise ArgumentError, "statsd_client is #{Guard.show(value)}; it must respond to gauge(name, value), or be nil"
        end

        @statsd_client = value
      end

      # @param value [Numeric, #call] a number above 0; or a callable that gives it for a partition's id
      # @raise [ArgumentError] for another value, naming it
      # @example
      #   config.weight = ->(partition) { partition.start_with?('paying-') ? 3 : 1 }
      def weight=(value)
        @weight = check_weight(value)
      end

      # @param value [Symbol, String] `:time` or `:jobs`
      # @raise [ArgumentError] for another value, naming it
      def charge=(value)
        @charge = Check.one_of(CHARGES, :charge, value)
      end

      # @param value [Symbol, String] `:auto`, `:native` or `:ruby`
      # @raise [ArgumentError] for another value, naming it
      def connection=(value)
        @connection = Check.one_of(CONNECTIONS, :connection, value)
      end

      # @param value [Numeric] seconds, from 0 (never wait) on
      # @raise [ArgumentError] for another value, naming it
      def patience=(value)
        unless value.is_a?(Numeric) && value.real? && value.to_f.finite? && !value.negative?
          raise ArgumentError, "patience is #{value.inspect}; it must be a number of seconds from 0 on"
        end

        @patience = value
      end

      # Settings of one queue; a setting that is not given is that of all queues.
      # @param name [String, Symbol] the queue
      # @param max_in_flight [Integer] running jobs a partition may have; 0: any number
      # @param weight [Numeric, #call] as {#weight}
      # @param charge [Symbol] as {#charge}
      # @raise [ArgumentError] for another value, naming it
      # @example
      #   config.queue 'imports', max_in_flight: 5, charge: :jobs
      def queue(name, max_in_flight: nil, weight: nil, charge: nil)
        overrides = Overrides.new(
          max_in_flight && check_max_in_flight(max_in_flight),
          weight && check_weight(weight),
          charge && Check.one_of(CHARGES, :charge, charge)
        )
        @queues[Check.text('a queue', name.to_s)] = overrides
      end

      # @private
      # @return [Integer] the cap of a queue's partitions; 0: none
      def max_in_flight_of(queue)
        @queues[queue]&.max_in_flight || @max_in_flight
      end

      # @private
      # @return [Symbol] what a job costs on a queue
      def charge_of(queue)
        @queues[queue]&.charge || @charge
      end

      # @private
      # @param partition [String] its id
      # @return [Float, nil] nil for a weight of 1, which need not be stored
      # @raise [ArgumentError] when the configured callable gives something that is no weight
      def weight_of(queue, partition)
        weight = @queues[queue]&.weight || @weight
        return (weight.to_f unless weight == 1) if weight.is_a?(Numeric)

        # A callable's 1 has to be stored: it may have been another number before.
        Check.weight(weight.call(partition), "of partition #{Guard.show(partition)}").to_f
      end

      private

      def check_max_in_flight(value)
        Check.max_in_flight(value || 0)
      end

      def check_weight(value)
        value.respond_to?(:call) ? value : Check.weight(value)
      end
    end
  end
end
