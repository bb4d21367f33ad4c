# frozen_string_literal: true

# The Ruby part of bin/demo, for when all is set up:
#
#   REDIS_URL=redis://127.0.0.1:6379/0 bundle exec ruby -I lib demo/main.rb --jobs 500
require_relative 'options'
require_relative 'interruption'

settings = Demo::Options.parse(ARGV)
Demo::Interruption.watch

require_relative 'comparison'
require_relative 'error'
require_relative 'jobs'
require_relative 'progress'
require_relative 'report'
require_relative 'run'
require_relative 'session'

module Demo
  # Both runs, one after the other, and the report.
  class Main
    # @param settings [Options::Settings]
    def initialize(settings)
      @settings = settings
      @tenants = settings.cast
      @session = Session.new(ENV.fetch('REDIS_URL', 'redis://127.0.0.1:6379/0'))
      @progress = Progress.new
    end

    # @return [Integer] exit status
    def call
      @session.connect
      Resque::FairShare.configure { |config| config.weight = ->(tenant) { @tenants.weight_of(tenant) } }
      introduce
      finish(run('plain', PlainJob), run('fair', FairJob))
    rescue Interruption => e
      fail_with('Stopped.', e.exit_status)
    rescue Error, Redis::BaseError => e
      fail_with("bin/demo: #{e.message}", 1)
    ensure
      clear unless @kept
    end

    private

    def introduce
      jobs, small_jobs, tenants = @settings.to_h.values_at(:jobs, :small_jobs, :tenants).map { |n| Glyphs.number(n) }
      puts "The whale: #{jobs} jobs. Small tenants: #{tenants}, with #{small_jobs} jobs each. " \
           "Workers: #{@settings.workers}.",
           'First they share a plain Resque queue, then a fair one.',
           "Redis: #{@session.address}, keys #{@session.namespace}:*", ''
    end

    def run(title, job_class)
      Run.new(title, job_class, session: @session, settings: @settings, progress: @progress).perform
    end

    def finish(*runs)
      puts '', Report.new(Comparison.new(*runs, @tenants), @settings, @session.redis_version), ''
      keep if @settings.keep
      faults = Faults.new(runs)
      return fail_with("FAILED: not every job ran exactly once.\n#{faults.to_a.join("\n")}", 1) unless faults.none?

      puts "All #{Glyphs.number(@tenants.total * runs.size)} jobs ran exactly once."
      0
    end

    def keep
      @kept = true
      cli = "redis-cli -u #{@session.address}"
      puts "Kept, as --keep says. A job's id, tenant, and its times of enqueue, start and end, in seconds:",
           *%w[plain fair].map { |queue| "  #{cli} lrange #{@session.namespace}:#{Record.list(queue)} 0 9" },
           'To delete these keys:',
           "  #{cli} --scan --pattern '#{@session.namespace}:*' | xargs #{cli} del", ''
    end

    def fail_with(message, status)
      warn '', message
      status
    end

    def clear
      @session.clear
    rescue Redis::BaseError => e
      warn "bin/demo: could not delete its keys, #{@session.namespace}:*: #{e.message}"
    end
  end
end

$stdout.sync = true
begin
  exit Demo::Main.new(settings).call
rescue Errno::EPIPE
  exit 1 # as in `bin/demo | head -3`
end
