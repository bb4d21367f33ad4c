# frozen_string_literal: true

require 'fileutils'
require 'open3'
require 'redis'
require 'rubygems/package'
require 'tmpdir'

# The gem as its users get it. Takes about a minute, as it compiles: leave it out with `rspec --tag ~package`.
RSpec.describe 'The built gem', :package do
  let(:root) { File.expand_path('../..', __dir__) }
  # In the project's tmp: cargo finds the project's .cargo/config.toml from there, where there is one.
  let(:folder) { FileUtils.mkdir_p("#{root}/tmp/package").first }
  let(:package) { "#{folder}/resque-fair-share-rs.gem" }

  before do
    FileUtils.rm_rf("#{root}/tmp/package")
    run('gem', 'build', 'resque-fair-share-rs.gemspec', '--strict', '--output', package, chdir: root)
  end

  after { FileUtils.rm_rf(folder) }

  # Without what `bundle exec` put into the environment; with it the bundle's gems would be found.
  def run(*command, env: {}, chdir: folder)
    Bundler.with_unbundled_env do
      output, status = Open3.capture2e({ 'BUNDLE_PATH' => nil, 'RUBYOPT' => nil, **env }, *command, chdir:)
      raise "#{command.join(' ')} failed:\n#{output}" unless status.success?

      output
    end
  end

  # The gems that the gem needs, from what the bundle has installed.
  def dependencies(*names, found: {})
    names.each do |name|
      next if found[name]

      found[name] = Gem::Specification.find_by_name(name)
      dependencies(*found[name].runtime_dependencies.map(&:name), found:)
    end
    found.values
  end

  # Bundler has kept the packed gems as a rule: then RubyGems needn't be asked for them.
  def install(home)
    packed, others = dependencies('resque', 'rb_sys').partition { |spec| File.file?(spec.cache_file) }
    FileUtils.cp(packed.map(&:cache_file), folder)
    local = others.all?(&:default_gem?) ? ['--local'] : []
    run('gem', 'install', package, '--no-document', *local, env: home)
  end

  it 'holds what is needed to compile and to run it, and nothing that was built or downloaded here' do
    contents = Gem::Package.new(package).contents

    expect(contents).to include(
      'Cargo.toml', 'ext/fair_share_core/Cargo.toml', 'ext/fair_share_core/src/lib.rs',
      'ext/resque_fair_share/Cargo.toml',
      'ext/resque_fair_share/src/lib.rs', 'ext/resque_fair_share/extconf.rb', 'ext/resque_fair_share/toolchain.rb',
      'lib/resque-fair-share-rs.rb', 'lib/resque/fair_share/version.rb', 'sig/resque/fair_share/version.rbs',
      'LICENSE', 'README.md', 'CHANGELOG.md'
    )
    expect(contents & Dir.glob('{lib,lua,ext/*/src}/**/*.{rb,lua,rs}', base: root))
      .to match_array(Dir.glob('{lib,lua,ext/*/src}/**/*.{rb,lua,rs}', base: root))
    expect(contents.grep(%r{(\A|/)(target|tmp|vendor|spec|\.cargo|\.git)/|\.(so|bundle|gem)\z})).to be_empty
  end

  it 'installs into an empty GEM_HOME, and a worker elsewhere runs a fair-share job with it' do
    home = { 'GEM_HOME' => "#{folder}/home", 'GEM_PATH' => "#{folder}/home" }
    install(home)
    expect(Dir.glob("#{folder}/home/extensions/**/resque_fair_share.{so,bundle}")).not_to be_empty

    # The worker's own folder: nothing of the project is in reach.
    Dir.mktmpdir do |elsewhere|
      File.write("#{elsewhere}/app.rb", <<~RUBY)
        require 'resque-fair-share-rs'

        Resque.redis = ENV.fetch('REDIS_URL')
        Resque.redis.namespace = 'package-spec'

        class Demo
          extend Resque::Plugins::FairShare

          @queue = :demo
          fair_share_on :account_id

          def self.perform(params)
            File.write('done', "account \#{params['account_id']}")
          end
        end

        Resque.enqueue(Demo, account_id: 7)
        puts Resque.redis.llen('fair_share:demo:sub:7')
        Resque::Worker.new('demo').work(0)
        puts Resque.size('demo')
        puts $LOADED_FEATURES.grep(/resque_fair_share\\.(so|bundle)/)
      RUBY

      output = run('ruby', 'app.rb', env: { **home, 'REDIS_URL' => REDIS_URL }, chdir: elsewhere).lines(chomp: true)

      expect(File.read("#{elsewhere}/done")).to eq('account 7')
      expect(output).to match(['1', '0', start_with("#{folder}/home/")])
    end
  ensure
    redis = Redis.new(url: REDIS_URL)
    redis.scan_each(match: 'package-spec:*').to_a.each { |key| redis.del(key) }
  end
end
