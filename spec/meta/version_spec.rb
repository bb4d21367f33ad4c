# frozen_string_literal: true

require 'json'
require_relative '../../ext/resque_fair_share/toolchain'

RSpec.describe 'The versions the project names' do
  let(:root) { File.expand_path('../..', __dir__) }
  let(:crates) do
    JSON.parse(`cargo metadata --manifest-path #{root}/Cargo.toml --no-deps --format-version 1`)['packages']
  end

  it 'gives each crate the version of the gem' do
    expect(crates.to_h { |crate| crate.values_at('name', 'version') })
      .to eq('fair_share_core' => Resque::FairShare::VERSION, 'resque_fair_share' => Resque::FairShare::VERSION)
  end

  it 'asks for one minimum of rustc, in the crates and when the gem is installed' do
    expect(crates.map { |crate| crate['rust_version'] }).to all(eq(ResqueFairShareToolchain::MINIMUM_RUSTC))
  end

  it 'has an entry in the changelog' do
    expect(File.read("#{root}/CHANGELOG.md")).to include("## [#{Resque::FairShare::VERSION}]")
  end
end
