# frozen_string_literal: true

require_relative '../../bin/support/clock'
require_relative '../../bin/support/interruption'
require_relative '../../bin/support/series'
require_relative '../jobs'
require_relative '../warm_up'
require_relative '../worker_pool'
require_relative 'crash'
require_relative 'journal'
require_relative 'order'

module Demo
  module Chains
    # Runs all chains from start to end, and crashes two steps meanwhile.
    class Run
      # Seconds between two looks at what is done.
      LOOK = 0.1
      # After so many seconds in which no step starts or ends and no worker is busy, nothing more will happen.
      SILENCE = 3
      # Resque prunes dead workers at most once in its heartbeat interval: 60 s, too long for a demo.
      HEARTBEAT = 1

      # `statuses` are as JobChain.status returns them; `times` are the seconds of each chain from start! to the end of
      # its last step; `seconds` is how long all took.
      Result = Struct.new(:statuses, :journal, :crashes, :times, :seconds, keyword_init: true)

      # @param session [Session]
      # @param settings [Options::Settings]
      # @param bar [ProgressBar] of steps
      def initialize(session, settings, bar)
        @settings = settings
        @bar = bar
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
        show
        result
      ensure
        @bar.stop
        @pool.stop
      end

      private

      def start_chains
        1.upto(@settings.chains) do |number|
          @started[Order.id(number)] = @noted = Support::Clock.now
          Order.start(number, @settings.job_ms)
          Support::Interruption.check
        end
      end

      def look
        Support::Interruption.check
        @pool.check
        sleep LOOK
        @counts = Resque::JobChain.counts
        @noted = Support::Clock.now if @journal.read.positive?
        crash
        show
      end

      def crash
        crash = @crashes.find { |one| one.due?(@journal.ends.size) }
        crash&.perform(@journal, @pool)
        @bar.log "kill -9 of #{crash.victim}, in the middle of #{crash.place}" if crash&.hit
      end

      def show
        @bar.progress = @journal.end_times.size
      end

      def over?
        return true if @counts.values_at('completed', 'failed').sum >= @settings.chains

        Support::Clock.now - @noted > SILENCE && !@pool.busy?
      end

      def result
        statuses = @started.to_h { |id, _| [id, Resque::JobChain.status(id)] }
        Result.new(statuses: statuses, journal: @journal, crashes: @crashes, times: Support::Series.new(times),
                   seconds: @journal.ends.map(&:time).max.to_f - @started.values.min)
      end

      def times
        @journal.ends.group_by(&:chain_id).map { |id, ends| ends.map(&:time).max - @started.fetch(id) }
      end
    end
  end
end
