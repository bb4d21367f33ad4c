# frozen_string_literal: true

require_relative 'waits'
require_relative 'worker_time'

module Demo
  # Both runs, and what can be asked about them.
  class Comparison
    # @return [Array<Run::Result>] the plain run, the fair run
    attr_reader :runs
    # @return [Tenants]
    attr_reader :tenants

    def initialize(plain, fair, tenants)
      @runs = [plain, fair]
      @tenants = tenants
      @waits = {}
      @worker_times = {}
    end

    # @return [String] what a run's part of the table is called
    def heading(run)
      return 'fair share' unless run == runs.first

      "plain Resque queue#{' (it knows no weights)' if tenants.weights?}"
    end

    # @param group [Tenants::Group]
    # @return [Waits]
    def waits(run, group)
      @waits[[run.title, group]] ||= Waits.new(run.records.select { |record| group.names.include?(record.tenant) })
    end

    # @return [WorkerTime]
    def worker_time(run)
      @worker_times[run.title] ||= WorkerTime.new(run.records, tenants, run.last_enqueue)
    end
  end
end
