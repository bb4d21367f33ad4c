# frozen_string_literal: true

module Bench
  # A limit for a measured number. `against` says for which: with :plain or :old for ours divided by theirs, with :ours
  # for our number itself.
  Goal = Struct.new(:against, :operator, :limit) do
    # @param value [Float]
    def met?(value)
      value.public_send(operator, limit)
    end

    def to_s
      sign = { :<= => '≤', :>= => '≥', :== => '=' }.fetch(operator)
      "#{sign} #{limit}#{{ plain: ' × plain', old: ' × 0.1.0', ours: '' }.fetch(against)}"
    end
  end

  # By the name of the result.
  GOALS = {
    'enqueue' => [[:plain, :<=, 0.80]],
    'reserve 100' => [[:plain, :<=, 1.05]],
    'reserve 1000' => [[:plain, :<=, 1.05]],
    'whole' => [[:plain, :<=, 0.95], [:old, :<=, 0.26]],
    'memory' => [[:plain, :<=, 1.30]],
    'memory ActiveJob' => [[:plain, :<=, 1.08]],
    'memory tenant' => [[:ours, :<=, 450]],
    'trips enqueue' => [[:ours, :<=, 1]],
    'trips worker' => [[:ours, :<=, 8], [:plain, :<=, 1]],
    'workers' => [[:plain, :>=, 0.98]],
    'scale' => [[:ours, :<=, 1.3]],
    'empty' => [[:plain, :<=, 1.1]],
    'empty 20 queues' => [[:plain, :<=, 1.0]],
    'bulk' => [[:plain, :>=, 10]],
    'plain_queue' => [[:plain, :<=, 1.05]],
    'plain_queue commands' => [[:plain, :==, 1]],
    'chain' => [[:old, :>=, 2]],
    'chain_memory running' => [[:old, :<=, 1]],
    'chain_memory finished' => [[:old, :<=, 1]],
    **%w[10 100 1000 10000].to_h { |tenants| ["redis_us #{tenants}", [[:ours, :<=, 18]]] }
  }.transform_values { |goals| goals.map { |goal| Goal.new(*goal) } }.freeze
end
