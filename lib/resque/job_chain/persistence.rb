# frozen_string_literal: true

require 'json'

module Resque
  module JobChain
    # Access to the chains in Redis, under the names of resque-job-chain 0.1.0. Changes go through the core's scripts.
    module Persistence
      # @return [Array<String>] every status a chain can have
      STATUSES = %w[running paused cancelled completed failed].freeze

      module_function

      # @private
      # @return [Array(FairShare::Native::Chain, FairShare::Connection)] the core's verbs, and their connection
      def handle(chain_id)
        connection, prefix = FairShare::Connection.current
        [FairShare::Native::Chain.new(prefix, chain_id), connection]
      end

      # @private Calls the core for one chain.
      # @yieldparam native [FairShare::Native::Chain]
      # @yieldparam connection [FairShare::Connection]
      def call(chain_id)
        native, connection = handle(chain_id)
        yield native, connection
      end

      # @private Calls the core for all chains.
      # @yieldparam native [FairShare::Native::Chains]
      # @yieldparam connection [FairShare::Connection]
      def call_all
        connection, prefix = FairShare::Connection.current
        yield FairShare::Native::Chains.new(prefix), connection
      end

      # @param chain_id [String, Symbol, Integer]
      # @return [Hash{String => String}] the state's fields; empty where there is no such chain
      def load_state(chain_id)
        Resque.redis.hgetall(keys(chain_id)[0])
      end

      # @param chain_id [String, Symbol, Integer]
      # @param step_index [Integer]
      # @return [Step, nil] nil where there is no such chain or step
      # @raise [NameError] when there is no such class
      def load_step(chain_id, step_index)
        json = Resque.redis.lindex(keys(chain_id)[1], step_index)
        json && Step.from_h(JSON.parse(json))
      end

      # @param chain_id [String, Symbol, Integer]
      # @return [Hash{String => Object}] empty where there is no such chain
      def load_context(chain_id)
        Context.decode(Resque.redis.hgetall(keys(chain_id)[2]).to_a.flatten(1))
      rescue ::Redis::CommandError => e
        raise unless e.message.include?('WRONGTYPE')

        # resque-job-chain 0.1.0 wrote it.
        JSON.parse(Resque.redis.get(keys(chain_id)[2]).to_s)
      end

      # @param chain_id [String, Symbol, Integer]
      # @param updates [Hash] values that JSON can write
      # @return [Hash{String => Object}] the whole context after the update
      # @raise [MissingChain]
      # @raise [ArgumentError] for a value that JSON can't write
      def merge_context(chain_id, updates)
        encoded = Context.encode(updates)
        loop do
          case call(chain_id) { |native, connection| native.update(connection, encoded) }
          in ['old', started_at, text] then Adoption.perform(chain_id, started_at, text)
          in ['updated', revision, flat]
            return Context.decode(flat).tap { |context| RunningStep.context_changed(chain_id, revision, context) }
          else
            raise MissingChain, "there is no chain #{chain_id.inspect} (any more), so its context can't be updated " \
                                "with #{updates.keys.inspect}"
          end
        end
      end

      # @return [Array<String>] ids of the chains that run or are paused
      def active_chains
        redis = Resque.redis
        names = indexes
        (redis.zrange(names.fetch(:running), 0, -1) + redis.zrange(names.fetch(:paused), 0, -1) +
          redis.smembers(names.fetch(:active))).uniq
      end

      # @param chain_id [String, Symbol, Integer]
      # @return [String] with the namespace
      def state_key(chain_id)
        full_keys(chain_id)[0]
      end

      # @param chain_id [String, Symbol, Integer]
      # @return [String] with the namespace
      def steps_key(chain_id)
        full_keys(chain_id)[1]
      end

      # @param chain_id [String, Symbol, Integer]
      # @return [String] with the namespace
      def context_key(chain_id)
        full_keys(chain_id)[2]
      end

      # @private A chain's keys as Resque.redis takes them, which adds the namespace.
      # @return [Array(String, String, String)] of its state, steps and context
      def keys(chain_id)
        FairShare::Native::Chain.new('', text(chain_id)).keys
      end

      # @private The indexes' keys as Resque.redis takes them, which adds the namespace.
      # @return [Hash{Symbol => String}]
      def indexes
        FairShare::Native::Chains.new('').keys
      end

      # @private
      def full_keys(chain_id)
        FairShare::Native::Chain.new(FairShare::Connection.current.last, text(chain_id)).keys
      end

      # @private An id as the core takes it. No chain's id is empty, so that is the text of an id that is not UTF-8.
      def text(chain_id)
        id = chain_id.to_s
        id = id.dup.force_encoding(Encoding::UTF_8) if id.encoding == Encoding::BINARY
        id.valid_encoding? ? id : ''
      end
    end
  end
end
