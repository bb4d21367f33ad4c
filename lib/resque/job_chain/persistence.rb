# frozen_string_literal: true

require 'json'
require 'time'

module Resque
  module JobChain
    # What is in Redis. Changes go through the core's scripts.
    module Persistence
      STATUSES = %w[running paused cancelled completed failed].freeze

      module_function

      # @private
      # @return [Array(FairShare::Native::Chain, FairShare::Connection)] the core's verbs, and over what
      def handle(chain_id)
        connection, prefix = FairShare::Connection.current
        [FairShare::Native::Chain.new(prefix, chain_id), connection]
      end

      # @private Calls the core.
      # @yieldparam native [FairShare::Native::Chain]
      # @yieldparam connection [FairShare::Connection]
      def call(chain_id)
        native, connection = handle(chain_id)
        yield native, connection
      end

      # @return [Hash] the state's fields, all Strings; empty where there is no such chain
      def load_state(chain_id)
        Resque.redis.hgetall("job_chain:#{chain_id}:state")
      end

      # @return [Step, nil]
      # @raise [NameError] when there is no such class
      def load_step(chain_id, step_index)
        json = Resque.redis.lindex("job_chain:#{chain_id}:steps", step_index)
        json && Step.from_h(JSON.parse(json))
      end

      # @return [Hash]
      def load_context(chain_id)
        Context.decode(Resque.redis.hgetall("job_chain:#{chain_id}:context").to_a.flatten(1))
      rescue ::Redis::CommandError => e
        raise unless e.message.include?('WRONGTYPE')

        # resque-job-chain 0.1.0 wrote it.
        JSON.parse(Resque.redis.get("job_chain:#{chain_id}:context").to_s)
      end

      # @return [Hash] the whole context after the update
      # @raise [MissingChain]
      def merge_context(chain_id, updates)
        encoded = Context.encode(updates)
        loop do
          case call(chain_id) { |native, connection| native.update(connection, encoded) }
          in ['old', started_at, text] then adopt(chain_id, started_at, text)
          in ['updated', revision, flat]
            return Context.decode(flat).tap { |context| Execution.context_changed(chain_id, revision, context) }
          else
            raise MissingChain, "there is no chain #{chain_id.inspect} (any more), so its context can't be updated " \
                                "with #{updates.keys.inspect}"
          end
        end
      end

      # @return [Array<String>] ids of the chains that run or are paused
      def active_chains
        redis = Resque.redis
        (redis.zrange('job_chain:running', 0, -1) + redis.zrange('job_chain:paused', 0, -1) +
          redis.smembers('job_chain:active')).uniq
      end

      # @private Makes a chain of resque-job-chain 0.1.0 one of ours.
      def adopt(chain_id, started_at, text)
        context = text.empty? ? {} : JSON.parse(text)
        call(chain_id) do |native, connection|
          native.adopt(connection, JobChain.fresh_name, JobChain.ttl, text, milliseconds(started_at),
                       Context.encode(context))
        end
      end

      # @private All of them, so that they are found by status.
      def adopt_all
        Resque.redis.smembers('job_chain:active').each do |chain_id|
          # A name without a chain: 0.1.0 has lost it.
          Snapshot.of(chain_id) || Resque.redis.srem('job_chain:active', [chain_id])
        end
      end

      # @private
      def milliseconds(text)
        (Time.iso8601(text).to_f * 1000).round
      rescue ArgumentError
        0
      end

      # @return [String] with the namespace
      def state_key(chain_id)
        key(chain_id, 'state')
      end

      # @return [String] with the namespace
      def steps_key(chain_id)
        key(chain_id, 'steps')
      end

      # @return [String] with the namespace
      def context_key(chain_id)
        key(chain_id, 'context')
      end

      # @private
      def key(chain_id, word)
        "#{FairShare::Connection.current.last}job_chain:#{chain_id}:#{word}"
      end
    end
  end
end
