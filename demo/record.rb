# frozen_string_literal: true

module Demo
  # A job's note when it was done: one element of a Redis list. Times are seconds of Support::Clock.
  Record = Struct.new(:id, :tenant, :enqueued, :started, :ended) do
    # @return [String] the list of a queue's records
    def self.list(queue)
      "done:#{queue}"
    end

    def self.parse(line)
      id, tenant, *times = line.split
      new(id, tenant, *times.map(&:to_f))
    end

    def to_s
      to_a.join(' ')
    end

    # @return [Float] seconds from the enqueue to the start of perform
    def wait
      started - enqueued
    end
  end
end
