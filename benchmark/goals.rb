# frozen_string_literal: true

module Bench
  # A limit for a measured number. `against` says for which: with :plain or :old for ours divided by theirs, with :ours
  # for our number itself.
  Goal = Struct.new(:against, :direction, :limit) do
    SIGNS = { at_most: '≤', at_least: '≥', equal: '=' }.freeze # rubocop:disable Lint/ConstantDefinitionInBlock

    # @param value [Float]
    def met?(value)
      case direction
      when :at_most then value <= limit
      when :at_least then value >= limit
      else value == limit
      end
    end

    def to_s
      what = { plain: ' × plain', old: ' × 0.1.0', ours: '' }.fetch(against)
      "#{SIGNS.fetch(direction)} #{limit}#{what}"
    end
  end

  # By a result's name.
  GOALS = {
    'enqueue' => [Goal.new(:plain, :at_most, 0.80)],
    'reserve 100' => [Goal.new(:plain, :at_most, 1.05)],
    'reserve 1000' => [Goal.new(:plain, :at_most, 1.05)],
    'whole' => [Goal.new(:plain, :at_most, 0.95), Goal.new(:old, :at_most, 0.26)],
    'memory' => [Goal.new(:plain, :at_most, 1.30)],
    'memory ActiveJob' => [Goal.new(:plain, :at_most, 1.08)],
    'memory tenant' => [Goal.new(:ours, :at_most, 450)],
    'trips enqueue' => [Goal.new(:ours, :at_most, 1)],
    'trips worker' => [Goal.new(:ours, :at_most, 8), Goal.new(:plain, :at_most, 1)],
    'workers' => [Goal.new(:plain, :at_least, 0.98)],
    'scale' => [Goal.new(:ours, :at_most, 1.3)],
    'empty' => [Goal.new(:plain, :at_most, 1.1)],
    'empty 20 queues' => [Goal.new(:plain, :at_most, 1.0)],
    'bulk' => [Goal.new(:plain, :at_least, 10)],
    'plain_queue' => [Goal.new(:plain, :at_most, 1.05)],
    'plain_queue commands' => [Goal.new(:plain, :equal, 1)],
    'chain' => [Goal.new(:old, :at_least, 2)],
    'chain_memory running' => [Goal.new(:old, :at_most, 1)],
    'chain_memory finished' => [Goal.new(:old, :at_most, 1)],
    'redis_us 10' => [Goal.new(:ours, :at_most, 18)],
    'redis_us 100' => [Goal.new(:ours, :at_most, 18)],
    'redis_us 1000' => [Goal.new(:ours, :at_most, 18)],
    'redis_us 10000' => [Goal.new(:ours, :at_most, 18)]
  }.freeze
end
