# frozen_string_literal: true

module Demo
  # The tenants, how many jobs each enqueues, and their weights.
  class Tenants
    WHALE = 'whale'

    # Tenants that share a line of the report.
    Group = Struct.new(:label, :names)

    # @return [Array<String>] all names, the whale first
    attr_reader :names

    # @param small [Integer] number of small tenants
    # @param whale_jobs [Integer]
    # @param small_jobs [Integer] jobs of each small tenant
    # @param weights [Hash{String => Numeric}] of those whose weight is given
    # @raise [ArgumentError] for a weight of a tenant that does not exist
    def initialize(small:, whale_jobs:, small_jobs:, weights: {})
      @small = ('a'..).first(small)
      @names = [WHALE, *@small]
      @jobs = { WHALE => whale_jobs }
      @jobs.default = small_jobs
      @weights = weights
      unknown = weights.keys - @names
      raise ArgumentError, "there is no tenant #{unknown.join(', ')}; there are #{existing}" if unknown.any?
    end

    def jobs_of(name)
      @jobs[name]
    end

    # @return [Integer] jobs of all tenants
    def total
      names.sum { |name| jobs_of(name) }
    end

    def weight_of(name)
      @weights.fetch(name, 1)
    end

    # @return [Boolean] whether one was given
    def weights?
      @weights.any?
    end

    # The jobs in the order in which they are enqueued.
    # @yieldparam name [String] the tenant
    # @yieldparam id [String] the job
    def each_job
      names.each { |name| 1.upto(jobs_of(name)) { |number| yield name, "#{name}-#{number}" } }
    end

    # @return [Array<Group>] the whale, each small tenant that was given a weight, and the others together
    def groups
      named, others = @small.partition { |name| @weights.key?(name) }
      [[WHALE], *named.zip, others].reject(&:empty?).map { |names| Group.new(label(names), names) }
    end

    # @return [Group] all but the whale
    def small_group
      Group.new(label(@small), @small)
    end

    private

    def existing
      "#{WHALE}, #{@small.first}#{" to #{@small.last}" if @small.size > 1}"
    end

    def label(names)
      who = if names == [WHALE] then WHALE
            elsif names.one? then "small tenant #{names.first}"
            else "#{names.size} small tenants"
            end
      weights? ? "#{who}, weight #{format('%g', weight_of(names.first))}" : who
    end
  end
end
