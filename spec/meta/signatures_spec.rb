# frozen_string_literal: true

require_relative '../support/signatures'

RSpec.describe 'The signatures' do
  let(:root) { File.expand_path('../..', __dir__) }

  # The public methods of a class or module's own: `#name` of an instance, `.name` of itself.
  def defined(owner)
    owner.public_instance_methods(false).map { |name| "##{name}" } +
      owner.singleton_methods(false).map { |name| ".#{name}" }
  end

  def declared(owner, file)
    Signatures.new(File.read("#{root}/sig/#{file}.rbs")).methods_of[owner.name]
  end

  it 'are one file for each file of lib, in the same folders' do
    files = Dir.glob('**/*.rbs', base: "#{root}/sig").grep_v(%r{\Avendor/})

    expect(files.map { |file| file.delete_suffix('.rbs') })
      .to match_array(Dir.glob('**/*.rb', base: "#{root}/lib").map { |file| file.delete_suffix('.rb') })
  end

  [
    Resque::FairShare::Native, Resque::FairShare::Native::Queue, Resque::FairShare::Native::Connection,
    Resque::FairShare::Native::Chain, Resque::FairShare::Native::Chains, Resque::FairShare::Native::Workers
  ].each do |owner|
    it "have what #{owner} has from the native extension, and nothing else" do
      expect(declared(owner, 'resque/fair_share/native')).to match_array(defined(owner))
    end
  end

  {
    Resque::FairShare => 'resque/fair_share',
    Resque::FairShare::Configuration => 'resque/fair_share/configuration',
    Resque::FairShare::Connection => 'resque/fair_share/connection',
    Resque::FairShare::Queue => 'resque/fair_share/queue',
    Resque::FairShare::Standing => 'resque/fair_share/standing',
    Resque::FairShare::Turns => 'resque/fair_share/turns',
    Resque::FairShare::Leases => 'resque/fair_share/leases',
    Resque::FairShare::Backlog => 'resque/fair_share/backlog',
    Resque::FairShare::Upkeep => 'resque/fair_share/upkeep',
    Resque::FairShare::Control => 'resque/fair_share/control',
    Resque::FairShare::Partition => 'resque/fair_share/partition',
    Resque::FairShare::Migration => 'resque/fair_share/migration',
    Resque::FairShare::Dequeue => 'resque/fair_share/first_gem_names',
    Resque::Plugins::FairShare => 'resque/plugins/fair_share',
    Resque::JobChain => 'resque/job_chain',
    Resque::JobChain::Configuration => 'resque/job_chain/configuration',
    Resque::JobChain::Builder => 'resque/job_chain/builder',
    Resque::JobChain::Builder::Group => 'resque/job_chain/builder',
    Resque::JobChain::Chain => 'resque/job_chain/chain',
    Resque::JobChain::Step => 'resque/job_chain/step',
    Resque::JobChain::Context => 'resque/job_chain/context',
    Resque::JobChain::StepEnd => 'resque/job_chain/step_end',
    Resque::JobChain::Observable => 'resque/job_chain/observable',
    Resque::JobChain::Persistence => 'resque/job_chain/persistence',
    Resque::JobChain::Strategies => 'resque/job_chain/strategies',
    Resque::Plugins::JobChain => 'resque/plugins/job_chain'
  }.each do |owner, file|
    it "have the public methods of #{owner}" do
      expect(declared(owner, file)).to match_array(defined(owner))
    end
  end
end
