# frozen_string_literal: true

require_relative 'waits'
require_relative 'worker_time'

module Demo
  # The result of a run. `records` has each job once; `last_enqueue` is when the last job was enqueued;
  # `left` is how many jobs the queue still holds; `failures` are the errors of jobs that raised.
  Result = Struct.new(:title, :tenants, :records, :last_enqueue, :lost, :left, :repeated, :failures,
                      keyword_init: true) do
    # @param group [Tenants::Group]
    # @return [Waits]
    def waits(group)
      Waits.new(records.select { |record| group.names.include?(record.tenant) })
    end

    # @return [WorkerTime]
    def worker_time
      @worker_time ||= WorkerTime.new(records, tenants, last_enqueue)
    end

    # @return [Array<String>] a sentence for each way in which a job did not run exactly once
    def faults
      still = ", and the queue still holds #{left}" if left.positive?
      [("#{jobs(lost)} lost#{still}" if lost.any?),
       ("#{jobs(repeated)} run more than once" if repeated.any?),
       ("Resque's failed list has #{errors}" if failures.any?)].compact.map { |text| "#{title} run: #{text}" }
    end

    private

    def jobs(ids)
      named = "#{ids.first(5).join(', ')}#{', ...' if ids.size > 5}"
      "#{ids.size} #{ids.one? ? 'job' : 'jobs'} (#{named}) #{ids.one? ? 'was' : 'were'}"
    end

    def errors
      failures.tally.map { |error, times| "#{times} x #{error}" }.join('; ')
    end
  end
end
