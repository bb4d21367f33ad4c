# frozen_string_literal: true

require_relative '../support/ruby_process'

# `ruby -w` says nothing about lib.
RSpec.describe 'ruby -w' do
  let(:files) { Dir.glob(File.expand_path('../../lib/**/*.rb', __dir__)) }
  let(:odd_values) do
    <<~'RUBY'
      require 'resque-fair-share-rs'
      Resque.redis = ENV.fetch('REDIS_URL')
      Resque.logger = Logger.new(nil)
      class Odd
        extend Resque::Plugins::FairShare
        @queue = :fair
        fair_share_on { |args| args[0] }
        def self.perform(*) = raise("caf\xE9".b)
      end
      class Told
        def gauge(*) = nil
      end
      class Link
        extend Resque::Plugins::JobChain
        @queue = :fair
        def self.perform(*) = raise("caf\xE9".b)
      end
      Resque::FairShare.configure { |config| config.statsd_client = Told.new }
      ["caf\xE9", "caf\xC3\xA9".b, 'é'.encode('ISO-8859-1'), "a:|@#\n%", ''].each do |text|
        [-> { Resque.enqueue(Odd, text) }, -> { Resque::FairShare.queue(text).stats },
         -> { Resque::FairShare.queue('fair').partition(text).jobs }, -> { Resque.reserve('fair')&.perform },
         -> { Resque.redis.rpush('queue:fair', text) }, -> { Resque.reserve('fair') },
         -> { Resque.peek('fair', 0, 10) }, -> { Resque::JobChain.build(text) { |chain| chain.step Link }.start! },
         -> { Resque.reserve('fair')&.perform }, -> { Resque::JobChain.status(text) },
         -> { Resque::FairShare::Gauges.emit(text, text, pending: 1) }].each do |call|
          call.call
        rescue StandardError
          nil
        end
      end
      Resque::FairShare.queue('fair').reconcile
      Resque::JobChain.chains
    RUBY
  end

  def warnings(code)
    command = [RbConfig.ruby, '-w', *RubyProcess::PATHS, '-e', code]
    output, status = Open3.capture2e({ 'REDIS_URL' => REDIS_URL }, *command)
    raise output unless status.success?

    output.lines.grep(/warning: /).grep(%r{\A(-e|.*/lib/resque(-|/(plugins/)?(fair_share|job_chain))[^:]*):\d})
  end

  it 'is silent where each file is loaded' do
    expect(warnings("require 'resque-fair-share-rs'; #{files.inspect}.each { |file| require file }")).to eq([])
  end

  it 'is silent about odd values' do
    expect(warnings(odd_values)).to eq([])
  end
end
