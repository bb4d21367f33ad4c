# frozen_string_literal: true

require_relative '../clock'
require_relative '../interruption'
require_relative '../jobs'
require_relative '../warm_up'
require_relative '../worker_pool'
require_relative 'crash'
require_relative 'journal'
require_relative 'order'

module Demo
  module Chains
    # All chains from their start to their end, and the crashes meanwhile.
    class Run
      # Seconds between two looks at what is done.
      LOOK = 0.1
      # Seconds without a step that starts or ends and with no worker at work, after which nothing more will come.
      SILENCE = 3
      # Resque lets dead workers be pruned once in its heartbeat's interval: 60 s, which is long for a demo.
      HEARTBEAT = 1

      # What is known when it is over: `statuses` as JobChain.status gives them, `times` are the chains' from start! to
      # their last step's end, `seconds` is how long it took.
      Result = Struct.new(:statuses, :journal, :crashes, :times, :seconds, keyword_init: true)

      # @param session [Session]
      # @param settings [Options::Settings]
      # @param progress [Progress]
      def initialize(session, settings, progress)
        @settings = settings
        @progress = progress
        @pool = WorkerPool.new(session, Order::QUEUES, settings.workers) { WarmUp.new(PlainJob).perform }
        @journal = Journal.new
        steps = settings.chains * Order::STEPS.size
        @crashes = [Crash.new(:child, steps / 5), Crash.new(:worker, steps / 2)]
        @started = {}
        @counts = { 'completed' => 0, 'failed' => 0 }
      end

      # @return [Result]
      def perform
        Resque.heartbeat_interval = HEARTBEAT
        @pool.start
        start_chains
        look until over?
        @pool.finish
        @journal.read
        show(:finish)
        result
      ensure
        @pool.stop
      end

      private

      def start_chains
        1.upto(@settings.chains) do |number|
          @started[Order.id(number)] = @noted = Clock.now
          Order.start(number, @settings.job_ms)
          Interruption.check
        end
      end

      def look
        Interruption.check
        @pool.check
        sleep LOOK
        # Before the steps are read: no more chains than ended last steps.
        @counts = Resque::JobChain.counts
        @noted = Clock.now if @journal.read.positive?
        crash
        show(:show)
      end

      def crash
        crash = @crashes.find { |one| one.due?(@journal.ends.size) }
        crash&.perform(@journal, @pool)
        @progress.say "kill -9 of #{crash.victim}, in the middle of #{crash.place}" if crash&.hit
      end

      def show(how)
        done = @journal.ends.uniq(&:place).map(&:step).tally
        @progress.public_send(how, Order::STEPS.each_index.map { |step| done.fetch(step, 0) }, @counts['completed'])
      end

      def over?
        return true if @counts.values_at('completed', 'failed').sum >= @settings.chains

        Clock.now - @noted > SILENCE && !@pool.busy?
      end

      def result
        statuses = @started.to_h { |id, _| [id, Resque::JobChain.status(id)] }
        Result.new(statuses: statuses, journal: @journal, crashes: @crashes, times: times,
                   seconds: @journal.ends.map(&:time).max.to_f - @started.values.min)
      end

      def times
        @journal.ends.group_by(&:chain_id).map { |id, ends| ends.map(&:time).max - @started.fetch(id) }.sort
      end
    end
  end
end
