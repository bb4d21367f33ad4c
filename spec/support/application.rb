# frozen_string_literal: true

require 'bundler'
require 'fileutils'
require 'open3'
require 'rbconfig'
require 'tmpdir'

# A shop's Resque application in a folder of its own, with a Gemfile, a bundle and processes of its own. Which gem it
# has for fair share, or for chains, is one line of that Gemfile. resque-fair-share 0.1.0 and resque-job-chain 0.1.0 are
# the real ones, from RubyGems. It has this bundle's Resque unless it is told another.
class Application
  PROJECT = File.expand_path('../..', __dir__)
  OLD_VERSION = '0.1.0'
  # Where gems that this bundle does not have are kept between runs.
  OWN_GEMS = File.join(PROJECT, 'tmp', 'application-gems')
  # Where this bundle's gems are; the applications use the same.
  GEMS = Gem.path.dup.freeze

  LINES = {
    stock: nil,
    old: "gem 'resque-fair-share', '#{OLD_VERSION}'",
    old_chains: "gem 'resque-job-chain', '#{OLD_VERSION}'",
    ours: "gem 'resque-fair-share-rs', path: '#{PROJECT}'"
  }.freeze

  CODE = <<~RUBY
    require 'bundler/setup'
    Bundler.require
    Resque.redis = ENV.fetch('APPLICATION_REDIS')
    Resque.logger = Logger.new(nil)

    class Sync
      extend Resque::Plugins::FairShare if defined?(Resque::Plugins::FairShare)
      @queue = :fair
      fair_share_on :account_id if respond_to?(:fair_share_on)

      def self.perform(params)
        Resque.redis.rpush('spec:done', "\#{params['account_id']}:\#{params['n']}")
        sleep params['seconds'] if params['seconds']
      end
    end

    # A step of a chain.
    class Link
      extend Resque::Plugins::JobChain if defined?(Resque::Plugins::JobChain)
      @queue = :links

      def self.perform(params)
        step = params['_step_index']
        seen = params.slice('list', 'hash', 'big', 'text', 'from', 'step0', 'step1')
        Resque.redis.rpush('spec:done', "\#{step}:\#{JSON.generate(seen)}")
        raise 'told to fail' if Resque.redis.get('spec:failing') == step.to_s

        Resque::JobChain.update_context(params['_chain_id'], "step\#{step}": [step]) if params['notes']
      end
    end

    # As `QUEUE=fair rake resque:work` does, until nothing waits.
    def work(*queues, interval: 0)
      Resque::Worker.new(*queues).tap { |worker| worker.fork_per_job = false }.work(interval)
    end
  RUBY

  class << self
    # @param fair_share [Symbol] :stock (none), :old (0.1.0), :old_chains (resque-job-chain 0.1.0) or :ours
    # @param gems [Hash{Symbol => String}] versions of others: `resque: '~> 2.7.0'`
    # @yieldparam application [Application] gone afterwards, and its processes with it
    def with(fair_share, **gems)
      application = new(fair_share, gems)
      yield application
    ensure
      application&.remove
    end
  end

  attr_reader :folder

  def initialize(fair_share, gems)
    @gems = gems.transform_keys(&:to_s)
    @folder = Dir.mktmpdir('fair-share-application')
    @pids = []
    File.write(File.join(@folder, 'application.rb'), CODE)
    use(fair_share)
  end

  # Changes the one line, and bundles.
  def use(fair_share)
    File.write(File.join(@folder, 'Gemfile'), (fixed_lines + [LINES.fetch(fair_share)]).compact.join("\n"))
    FileUtils.rm_f(File.join(@folder, 'Gemfile.lock'))
    output, status = bundle('--local')
    output, status = bundle unless status.success?
    raise "could not bundle #{fair_share}: #{output}" unless status.success?
  end

  # Runs Ruby code in a process of the application.
  # @return [String] what it printed
  def run(code)
    output, status = unbundled { Open3.capture2e(environment, *command(code), chdir: @folder) }
    raise "the application's process failed: #{output}" unless status.success?

    output
  end

  # Runs a spec file with the application's bundle.
  # @return [String] what it printed
  def rspec(file)
    paths = %w[lib spec].flat_map { |path| ['-I', File.join(PROJECT, path)] }
    command = ['bundle', 'exec', 'rspec', '--no-color', *paths, '--require', 'spec_helper', file]
    environment = self.environment.merge('REDIS_URL' => REDIS_URL)
    unbundled { Open3.capture2e(environment, *command, chdir: @folder) }.first
  end

  # Starts one and goes on.
  # @return [Integer] its pid
  def start(code)
    log = File.join(@folder, 'log')
    pid = unbundled { Process.spawn(environment, *command(code), chdir: @folder, out: [log, 'a'], err: %i[child out]) }
    @pids << pid
    pid
  end

  # @return [Process::Status]
  def wait(pid)
    @pids.delete(pid)
    Process.wait2(pid).last
  end

  # kill -9
  def kill(pid)
    Process.kill(:KILL, pid)
    wait(pid)
  end

  def log
    File.read(File.join(@folder, 'log'))
  end

  def remove
    @pids.dup.each { |pid| kill(pid) }
    FileUtils.rm_rf(@folder)
  end

  private

  # Brings what is missing, one process at a time.
  def bundle(*how)
    FileUtils.mkdir_p(OWN_GEMS)
    File.open(File.join(OWN_GEMS, 'lock'), File::CREAT | File::RDWR) do |lock|
      lock.flock(File::LOCK_EX)
      unbundled { Open3.capture2e(environment, 'bundle', 'install', '--quiet', *how, chdir: @folder) }
    end
  end

  # The same versions as the spec itself runs with, where no other is asked for.
  def fixed_lines
    same = %w[resque redis redis-namespace json multi_json].to_h { |name| [name, Gem.loaded_specs[name]&.version] }
    versions = same.compact.merge(@gems)
    ["source 'https://rubygems.org'"] + versions.map { |name, version| "gem '#{name}', '#{version}'" }
  end

  # By way of a file: what is on a command line is in the locale's encoding.
  def command(code)
    file = File.join(@folder, "code-#{@codes = @codes.to_i + 1}.rb")
    File.write(file, code)
    [RbConfig.ruby, '-r./application', file]
  end

  def environment
    { 'BUNDLE_GEMFILE' => File.join(@folder, 'Gemfile'), 'APPLICATION_REDIS' => REDIS_URL,
      'GEM_HOME' => OWN_GEMS, 'GEM_PATH' => [OWN_GEMS, *GEMS].join(File::PATH_SEPARATOR),
      'BUNDLE_PATH' => nil }
  end

  def unbundled(&)
    Bundler.with_unbundled_env(&)
  end
end
