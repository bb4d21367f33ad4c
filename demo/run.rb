# frozen_string_literal: true

require_relative '../bin/support/clock'
require_relative '../bin/support/interruption'
require_relative 'record'
require_relative 'result'
require_relative 'warm_up'
require_relative 'worker_pool'

module Demo
  # Runs the whole load once, on one queue.
  class Run
    # Seconds between two looks at what is done.
    LOOK = 0.2
    # After so many seconds in which no job ends and no worker is busy, nothing more will happen.
    SILENCE = 2

    # @param title [String]
    # @param job_class [Class]
    # @param bar [ProgressBar]
    def initialize(title, job_class, session:, settings:, bar:)
      @title = title
      @job_class = job_class
      @settings = settings
      @tenants = settings.cast
      @bar = bar
      @queue = Resque.queue_from_class(job_class).to_s
      @list = Record.list(@queue)
      @pool = WorkerPool.new(session, [@queue], settings.workers) { WarmUp.new(job_class).perform }
      @lines = []
      @records = {}
    end

    # @return [Result]
    def perform
      @pool.start
      enqueue_all
      look until over?
      @pool.finish
      read
      result
    ensure
      @bar.stop
      @pool.stop
    end

    private

    def enqueue_all
      @first_enqueue = Support::Clock.now
      @tenants.each_job do |tenant, id|
        look if Support::Clock.now - (@looked || @first_enqueue) > LOOK
        @last_enqueue = Support::Clock.now
        Resque.enqueue(@job_class, tenant: tenant, id: id, enqueued: @last_enqueue, ms: @settings.job_ms, list: @list)
      end
      look
    end

    def look
      Support::Interruption.check
      @pool.check
      pause = LOOK - (Support::Clock.now - @looked) if @looked
      sleep(pause) if pause&.positive?
      @looked = Support::Clock.now
      read
      @bar.progress = @records.size
    end

    # Reads what was noted since the last look.
    def read
      fresh = Resque.redis.lrange(@list, @lines.size, -1)
      return if fresh.empty?

      @read = Support::Clock.now
      @lines.concat(fresh)
      fresh.map { |line| Record.parse(line) }.each { |record| @records[record.id] ||= record }
    end

    def over?
      return true if @records.size >= @tenants.total

      Support::Clock.now - (@read || @last_enqueue) > SILENCE && !@pool.busy?
    end

    def result
      Result.new(title: @title, tenants: @tenants, records: @records.values, last_enqueue: @last_enqueue,
                 lost: expected - @records.keys, left: Resque.size(@queue), repeated: repeated, failures: failures)
    end

    def expected
      ids = []
      @tenants.each_job { |_, id| ids << id }
      ids
    end

    def repeated
      @lines.map { |line| Record.parse(line).id }.tally.select { |_, times| times > 1 }.keys
    end

    def failures
      Resque::Failure.all(0, 1000).select { |failure| failure['queue'] == @queue }
                     .map { |failure| "#{failure['exception']}: #{failure['error']}" }
    end
  end
end
