# frozen_string_literal: true

require 'open3'
require 'rbconfig'

RSpec.describe 'What is required' do
  let(:lib) { File.expand_path('../../lib', __dir__) }

  {
    'resque-fair-share' => %w[Resque::FairShare Resque::Plugins::FairShare],
    'resque/fair_share' => %w[Resque::FairShare Resque::Plugins::FairShare],
    'resque-job-chain' => %w[Resque::JobChain Resque::Plugins::JobChain],
    'resque/job_chain' => %w[Resque::JobChain Resque::Plugins::JobChain],
    'resque-fair-share-rs' => %w[Resque::FairShare Resque::Plugins::FairShare Resque::JobChain Resque::Plugins::JobChain]
  }.each do |feature, constants|
    it "#{feature} loads #{constants.join(', ')}, and dials no Redis" do
      script = "require '#{feature}'; puts [#{constants.join(', ')}].map(&:name).join(' '), Resque::VERSION"
      # No Redis there: a connection would raise.
      env = { 'REDIS_URL' => 'redis://127.0.0.1:1/0' }
      output, status = Open3.capture2e(env, RbConfig.ruby, '-I', lib, '-e', script)
      expect(output.lines.first.to_s.chomp).to eq(constants.join(' '))
      expect(status).to be_success, output
    end
  end
end
