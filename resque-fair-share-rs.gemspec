# frozen_string_literal: true

require_relative 'lib/resque/fair_share/version'

Gem::Specification.new do |spec|
  spec.name = 'resque-fair-share-rs'
  spec.version = Resque::FairShare::VERSION
  spec.authors = ['resque-fair-share-rs maintainers']
  spec.summary = 'Fair queuing between tenants and ordered job chains for Resque'
  spec.description = 'Resque workers take turns between the tenants of a queue, by weight and up to a limit each, ' \
                     'so that one big tenant no longer holds up the small ones. The core is written in Rust.'
  spec.homepage = 'https://github.com/resque-fair-share-rs/resque-fair-share-rs'
  spec.license = 'MIT'

  spec.required_ruby_version = '>= 3.1'
  spec.required_rubygems_version = '>= 3.3.11'

  spec.metadata = {
    'source_code_uri' => spec.homepage,
    'changelog_uri' => "#{spec.homepage}/blob/main/CHANGELOG.md",
    'rubygems_mfa_required' => 'true'
  }

  # Named folder by folder: a wider pattern would pack ext/**/target and tmp as well.
  spec.files = Dir.glob(
    %w[
      Cargo.toml
      ext/*/Cargo.toml
      ext/*/build.rs
      ext/*/src/**/*.rs
      ext/resque_fair_share/{extconf,toolchain}.rb
      lua/**/*.{lua,md}
      lib/**/*.rb
      sig/**/*.rbs
      docs/*.md
      README.md
      CHANGELOG.md
      LICENSE
    ],
    base: __dir__
  ).reject { |file| file.start_with?('sig/vendor/') }.sort

  # A Cargo.lock made from Debian's packaged crates lacks their checksums, and crates.io's could not be used with it.
  lock = File.join(__dir__, 'Cargo.lock')
  spec.files << 'Cargo.lock' if File.file?(lock) && !File.read(lock).include?('Could not get crate checksum')

  spec.require_paths = ['lib']
  spec.extensions = ['ext/resque_fair_share/extconf.rb']

  spec.add_dependency 'rb_sys', '~> 0.9'
  spec.add_dependency 'resque', '>= 2.6', '< 4'
end
