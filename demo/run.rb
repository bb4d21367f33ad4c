# frozen_string_literal: true

require_relative 'clock'
require_relative 'interruption'
require_relative 'record'
require_relative 'warm_up'
require_relative 'worker_pool'

module Demo
  # The whole load once, on one queue.
  class Run
    # Seconds between two looks at what is done.
    LOOK = 0.2
    # Seconds without a job that ends and with no worker at work, after which nothing more will come.
    SILENCE = 2

    # What is known when it is over. `records` has each job once; `left` counts what is still in the queue; `failures`
    # are the errors of jobs that raised; `seconds` is how long it took.
    Result = Struct.new(:title, :records, :last_enqueue, :seconds, :lost, :left, :repeated, :failures,
                        keyword_init: true)

    # @param title [String]
    # @param job_class [Class]
    def initialize(title, job_class, session:, settings:, progress:)
      @title = title
      @job_class = job_class
      @settings = settings
      @tenants = settings.cast
      @progress = progress
      @queue = Resque.queue_from_class(job_class).to_s
      @list = Record.list(@queue)
      @pool = WorkerPool.new(session, [@queue], settings.workers) { WarmUp.new(job_class).perform }
      @lines = []
      @records = {}
      @done = Hash.new(0)
    end

    # @return [Result]
    def perform
      @pool.start
      enqueue_all
      look until over?
      @pool.finish
      read
      result.tap { |result| @progress.finish(result) }
    ensure
      @pool.stop
    end

    private

    def enqueue_all
      @first_enqueue = Clock.now
      @progress.start(@title, @tenants)
      @tenants.each_job do |tenant, id|
        look if Clock.now - (@looked || @first_enqueue) > LOOK
        @last_enqueue = Clock.now
        Resque.enqueue(@job_class, tenant: tenant, id: id, enqueued: @last_enqueue, ms: @settings.job_ms, list: @list)
      end
      look
    end

    def look
      Interruption.check
      @pool.check
      pause = LOOK - (Clock.now - @looked) if @looked
      sleep(pause) if pause&.positive?
      @looked = Clock.now
      read
      @progress.show(@records.size, @done[Tenants::WHALE])
    end

    # Takes what was noted since the last look.
    def read
      fresh = Resque.redis.lrange(@list, @lines.size, -1)
      return if fresh.empty?

      @read = Clock.now
      @lines.concat(fresh)
      fresh.each { |line| note(Record.parse(line)) }
    end

    def note(record)
      return if @records.key?(record.id)

      @records[record.id] = record
      @done[record.tenant] += 1
    end

    def over?
      return true if @records.size >= @tenants.total

      Clock.now - (@read || @last_enqueue) > SILENCE && !@pool.busy?
    end

    def result
      records = @records.values
      ended = records.map(&:ended).max || @last_enqueue
      Result.new(title: @title, records: records, last_enqueue: @last_enqueue, seconds: ended - @first_enqueue,
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
