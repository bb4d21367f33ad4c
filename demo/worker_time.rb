# frozen_string_literal: true

module Demo
  # How much of the workers' time each tenant got while all tenants were backlogged. Fairness can only be judged then:
  # a tenant without a waiting job uses less than its share, because it wants less.
  #
  # That window begins with the last enqueue and ends when the first tenant has no job waiting any more: when the last
  # of its jobs has started. In a plain queue that tenant is the whale, while the small tenants, all behind it, had
  # nothing.
  class WorkerTime
    # @param records [Array<Record>]
    # @param tenants [Tenants]
    # @param last_enqueue [Float]
    def initialize(records, tenants, last_enqueue)
      @records = records
      @tenants = tenants
      @from = last_enqueue
      @to = records.group_by(&:tenant).map { |_, own| own.map(&:started).max }.min || @from
    end

    # @return [Float] seconds in which all were backlogged
    def window
      [@to - @from, 0].max
    end

    # @return [Float, nil] the part of all worker time that one of these tenants got, on average; nil if nobody worked
    def share(names)
      names.sum { |name| used[name] } / names.size / total if total.positive?
    end

    # Jain's fairness index (Jain, Chiu, Hawe 1984) of worker time by weight: (sum of x)^2 / (n * sum of x^2). It is 1
    # if all got the same for their weight, and 1/n if one got everything.
    # @return [Float, nil] nil if nobody worked
    def jain
      return unless total.positive?

      by_weight = @tenants.names.map { |name| used[name] / @tenants.weight_of(name) }
      (by_weight.sum**2) / (by_weight.size * by_weight.sum { |x| x**2 })
    end

    private

    # Of a job only the part inside the window counts.
    def used
      @used ||= @records.each_with_object(Hash.new(0.0)) do |record, used|
        used[record.tenant] += [[record.ended, @to].min - [record.started, @from].max, 0].max
      end
    end

    def total
      @total ||= used.values.sum
    end
  end
end
