# frozen_string_literal: true

require 'bundler'
require 'fileutils'
require 'open3'
require 'rbconfig'
require 'tmpdir'

# A shop's Resque application in a folder of its own, with a Gemfile, a bundle and processes of its own. Which gem it
# has for fair share, or for chains, is one line of that Gemfile. resque-fair-share 0.1.0 and resque-job-chain 0.1.0 are
# the real ones, from RubyGems.
class Application
  PROJECT = File.expand_path('../..', __dir__)
  OLD_VERSION = '0.1.0'
  # Where an old gem is kept between runs.
  OLD_GEMS = File.join(PROJECT, 'tmp')
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
    # @yieldparam application [Application] gone afterwards, and its processes with it
    def with(fair_share)
      application = new(fair_share)
      yield application
    ensure
      application&.remove
    end

    # Brings an old gem, once for all runs.
    # @return [String] the folder
    def old_gem(name)
      place = File.join(OLD_GEMS, "#{name}-#{OLD_VERSION}")
      return place if File.directory?(place)

      FileUtils.mkdir_p(OLD_GEMS)
      Dir.mktmpdir('old-gem', OLD_GEMS) do |folder|
        output, status = Open3.capture2e('gem', 'install', name, '-v', OLD_VERSION, '--no-document',
                                         '--ignore-dependencies', '--install-dir', folder)
        raise "#{name} #{OLD_VERSION} can't be had from RubyGems: #{output}" unless status.success?

        File.rename(folder, place)
        FileUtils.mkdir_p(folder) # for mktmpdir, which removes it
      end
      place
    end
  end

  attr_reader :folder

  def initialize(fair_share)
    @old = self.class.old_gem(fair_share == :old_chains ? 'resque-job-chain' : 'resque-fair-share')
    @folder = Dir.mktmpdir('fair-share-application')
    @pids = []
    File.write(File.join(@folder, 'application.rb'), CODE)
    use(fair_share)
  end

  # Changes the one line, and bundles.
  def use(fair_share)
    File.write(File.join(@folder, 'Gemfile'), (fixed_lines + [LINES.fetch(fair_share)]).compact.join("\n"))
    FileUtils.rm_f(File.join(@folder, 'Gemfile.lock'))
    bundle = %w[bundle install --local --quiet]
    output, status = unbundled { Open3.capture2e(environment, *bundle, chdir: @folder) }
    raise "could not bundle #{fair_share}: #{output}" unless status.success?
  end

  # Runs Ruby code in a process of the application.
  # @return [String] what it printed
  def run(code)
    output, status = unbundled { Open3.capture2e(environment, *command(code), chdir: @folder) }
    raise "the application's process failed: #{output}" unless status.success?

    output
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

  # The same versions as the spec itself runs with.
  def fixed_lines
    ["source 'https://rubygems.org'"] + %w[resque redis redis-namespace json multi_json].filter_map do |name|
      spec = Gem.loaded_specs[name]
      "gem '#{name}', '#{spec.version}'" if spec
    end
  end

  # By way of a file: what is on a command line is in the locale's encoding.
  def command(code)
    file = File.join(@folder, "code-#{@codes = @codes.to_i + 1}.rb")
    File.write(file, code)
    [RbConfig.ruby, '-r./application', file]
  end

  def environment
    { 'BUNDLE_GEMFILE' => File.join(@folder, 'Gemfile'), 'APPLICATION_REDIS' => REDIS_URL,
      'GEM_HOME' => @old, 'GEM_PATH' => ([@old] + GEMS).join(File::PATH_SEPARATOR),
      'BUNDLE_PATH' => nil }
  end

  def unbundled(&)
    Bundler.with_unbundled_env(&)
  end
end
