# frozen_string_literal: true

# The Ruby part of bin/demo, which sets up what this needs:
#
#   REDIS_URL=redis://127.0.0.1:6379/0 bundle exec ruby -I lib demo/main.rb --help
require_relative 'options'

settings = Demo::Options.parse(ARGV)

require_relative 'interruption'
Demo::Interruption.watch

require_relative 'comparison'
require_relative 'jobs'
require_relative 'progress'
require_relative 'report'
require_relative 'run'
require_relative 'session'

module Demo
  # Both runs, one after the other, and the report.
  class Main
    def initialize(settings)
      @settings = settings
      @tenants = settings.cast
      @session = Session.new(ENV.fetch('REDIS_URL', 'redis://127.0.0.1:6379/0'))
      @progress = Progress.new
    end

    # @return [Integer] exit status
    def call
      @session.connect
      Resque::FairShare.configure { |config| config.weight = ->(partition) { @tenants.weight_of(partition) } }
      introduce
      report(Report.new(compare, @settings, @session.redis_version))
    rescue Interruption => e
      warn "\nStopped."
      stopped = true
      e.exit_status
    rescue Redis::BaseConnectionError => e
      warn "\nbin/demo: Redis at #{@session.address} does not answer: #{e.message}"
      1
    ensure
      leave(stopped)
    end

    private

    def introduce
      puts <<~TEXT
        #{Glyphs.number(@settings.jobs)} jobs of the whale, then #{@settings.small_jobs} of each of #{@settings.tenants} small tenants,
        on #{@settings.workers} workers, twice: a plain Resque queue, then fair share.
        Redis: #{@session.address}, keys #{@session.namespace}:*

      TEXT
    end

    def compare
      plain = run('plain', PlainJob)
      fair = run('fair', FairJob)
      Comparison.new(plain, fair, @tenants)
    end

    def run(title, job_class)
      Run.new(title, job_class, session: @session, settings: @settings, progress: @progress).perform
    end

    def report(report)
      puts '', report
      if report.faults.empty?
        puts report.all_well
        return 0
      end
      warn '', 'FAILED: not every job ran exactly once.', *report.faults
      1
    end

    def leave(stopped)
      return @session.clear unless @settings.keep && !stopped

      puts '', "Kept (--keep): each job's id, tenant, and times of enqueue, start and end; seconds since the machine started.",
           *%w[plain fair].map { |queue| "  redis-cli -u #{@session.address} lrange #{@session.namespace}:#{Record.key(queue)} 0 9" }
    rescue Redis::BaseConnectionError
      nil # it was said already
    end
  end
end

$stdout.sync = true
exit Demo::Main.new(settings).call
