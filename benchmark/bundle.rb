# frozen_string_literal: true

require 'bundler'
require 'fileutils'
require 'open3'
require 'tmpdir'
require_relative '../bin/support/error'

module Bench
  # A contender's Gemfile and gems. All have the same Resque and Redis client; the 0.1.0 gems are the released ones.
  class Bundle
    PROJECT = File.expand_path('..', __dir__)
    OLD_VERSION = '0.1.0'
    # The contenders share the gems of this bundle.
    GEMS = Gem.path.dup.freeze

    SHARED = %w[resque redis redis-client redis-namespace json multi_json].freeze

    LINES = {
      plain: nil,
      old: "gem 'resque-fair-share', '#{OLD_VERSION}'",
      old_chain: "gem 'resque-job-chain', '#{OLD_VERSION}'",
      ours: "gem 'resque-fair-share-rs', path: '#{PROJECT}'"
    }.freeze
    OLD = { old: 'resque-fair-share', old_chain: 'resque-job-chain' }.freeze

    # @param contender [Symbol]
    def initialize(contender)
      @contender = contender
      @folder = File.join(PROJECT, 'tmp', 'bench', contender.to_s)
    end

    # @return [Hash] the environment for the contender's processes
    def prepare
      FileUtils.mkdir_p(@folder)
      File.write(File.join(@folder, 'Gemfile'), [*fixed_lines, LINES.fetch(@contender)].compact.join("\n"))
      FileUtils.rm_f(File.join(@folder, 'Gemfile.lock'))
      run('bundle', 'install', '--local', '--quiet')
      environment
    end

    private

    def fixed_lines
      gems = Gem.loaded_specs.values_at(*SHARED).compact
      ["source 'https://rubygems.org'"] + gems.map { |spec| "gem '#{spec.name}', '#{spec.version}'" }
    end

    def environment
      { 'BUNDLE_GEMFILE' => File.join(@folder, 'Gemfile'), 'BUNDLE_PATH' => nil,
        'GEM_PATH' => [*old_gems, *GEMS].join(File::PATH_SEPARATOR) }
    end

    # Installs the old gem, once for all runs.
    def old_gems
      name = OLD[@contender] or return
      gems = File.join(PROJECT, 'tmp', "#{name}-#{OLD_VERSION}")
      install(name, gems) unless File.directory?(gems)
      gems
    end

    def install(name, gems)
      partial = "#{gems}.partial"
      FileUtils.rm_rf(partial)
      output, status = Open3.capture2e('gem', 'install', name, '-v', OLD_VERSION, '--no-document',
                                       '--ignore-dependencies', '--install-dir', partial)
      raise Support::Error, "could not fetch #{name} #{OLD_VERSION} from RubyGems: #{output}" unless status.success?

      File.rename(partial, gems)
    end

    def run(*command)
      output, status = Bundler.with_unbundled_env { Open3.capture2e(environment, *command, chdir: @folder) }
      raise Support::Error, "could not bundle #{@contender}: #{output}" unless status.success?
    end
  end
end
