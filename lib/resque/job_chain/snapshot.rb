# frozen_string_literal: true

module Resque
  module JobChain
    # A chain at one moment. A transition is computed from it, then the transition's script checks that it still holds.
    # @private
    class Snapshot
      # @private A step, its status ('' before it starts), the token of its present job, failed attempts, declaration.
      Row = Struct.new(:index, :status, :token, :attempts, :definition) do
        # @implements Row

        # @return [Step]
        # @raise [NameError] when there is no such class
        def step
          Step.from_h(definition)
        end

        def ended_well?
          %w[completed skipped].include?(status)
        end
      end

      # @param chain_id [String]
      # @param step [Integer, nil] nil: all steps of the group that runs
      # @return [Snapshot, nil] nil where there is no such chain
      def self.of(chain_id, step = nil)
        handle = Persistence.handle(chain_id)
        native, connection = handle
        loop do
          case native.look(connection, step)
          in ['chain', known, context, rows, next_first, next_steps]
            return new(handle, known, context, rows, next_first, next_steps)
          in ['old', started_at, text] then Adoption.perform(chain_id, started_at, text)
          else return
          end
        end
      end

      # @return [Array(FairShare::Native::Chain, FairShare::Connection)] by which it was read; the transition is written
      #   by the same ones
      attr_reader :handle
      attr_reader :status, :run, :current_step, :total_steps, :left, :strategy, :rows, :next_first
      attr_accessor :revision
      attr_writer :context

      def initialize(handle, known, context, rows, next_first, next_steps) # rubocop:disable Metrics/ParameterLists
        @handle = handle
        @status, @run, current_step, total_steps, left, @revision, strategy = known
        @current_step = current_step.to_i
        @total_steps = total_steps.to_i
        @left = left.to_i
        @strategy = strategy.empty? ? nil : strategy.to_sym
        @encoded_context = context
        @rows = rows.each_slice(5).map { |fields| row(*fields) } # steep:ignore UnexpectedPositionalArgument
        @next_first = next_first.to_i
        @next_steps = next_steps
      end

      def context
        @context ||= Context.decode(@encoded_context)
      end

      # @return [Array<Row>] the steps of the next group
      def next_rows
        @next_rows ||= @next_steps.each_with_index.map { |text, index| row(next_first + index, '', 1, 0, text) }
      end

      def last_group?
        next_first >= total_steps
      end

      private

      def row(index, status, token, attempts, text)
        Row.new(index.to_i, status, token.to_i, attempts.to_i, JSON.parse(text))
      end
    end
  end
end
