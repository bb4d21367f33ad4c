# frozen_string_literal: true

require 'uri'
require_relative '../../demo/chains/event'
require_relative '../support/demo_process'

RSpec.describe 'The demo of chains' do
  # A database of its own.
  let(:url) { URI(REDIS_URL).tap { |uri| uri.path = '/10' }.to_s }
  let(:database) { Redis.new(url: url) }
  let(:arguments) { %w[--chains 6 --workers 3 --job-ms 150] }
  let(:demo) { DemoProcess.new(*arguments, environment: { 'REDIS_URL' => url }) }

  def events
    database.lrange("#{demo.namespace}:chain_steps", 0, -1).map { |line| Demo::Chains::Event.parse(line) }
  end

  before { database.flushdb }
  after { demo.clean }

  it 'completes all chains, though it kills a child and a worker' do
    expect(demo.status).to eq(0), demo.output
    expect(demo.output).to match(/^kill -9 of a worker's child, in the middle of \w+ of order-\d$/)
      .and match(/^kill -9 of a worker with its child, in the middle of \w+ of order-\d$/)
    expect(demo.output.squeeze(' '))
      .to include("\nchains completed 6 of 6\nchains failed 0\nsteps performed 30 of 30\nattempts repeated 2 ")
    hits = demo.output.scan(/^kill -9 of .* hit \w+ of order-\d: +queued again, and started [\d.]+ s later$/)
    expect(hits.size).to eq(2)
    expect(demo.output).to match(/^All 6 chains are complete: /)
    expect(demo.output).not_to match(/\e|\r/)
    expect(database.dbsize).to eq(0)
  end

  describe 'with --keep' do
    let(:arguments) { %w[--chains 6 --workers 3 --job-ms 50 --keep] }

    it 'leaves what the steps have noted there' do
      expect(demo.status).to eq(0), demo.output
      expect(events.map(&:kind).tally).to eq('start' => 32, 'end' => 30)
      expect(demo.output).to include("redis-cli -u #{url} lrange #{demo.namespace}:chain_steps 0 9")
    end
  end

  it 'fails for a chain that has lost its step' do
    waiting = "#{demo.namespace}:queue:orders"
    wait_until('steps that wait', seconds: 60) { database.llen(waiting) > 1 }
    lost = JSON.parse(database.rpop(waiting)).fetch('args').first
    expect(demo.status).to eq(1), demo.output
    expect(demo.output).to include("\nFAILED: not every chain went its way.\n" \
                                   "chains not complete: 1 (#{lost.fetch('_chain_id')}, running at ")
    expect(database.dbsize).to eq(0)
  end

  describe 'stopped with Ctrl-C' do
    let(:arguments) { %w[--chains --job-ms 300] }

    it 'leaves no process and no key behind' do
      wait_until('a crash', seconds: 60) { demo.output.include?('kill -9 of a worker\'s child,') }
      processes = events.flat_map { |event| [event.pid, event.worker] }.uniq
      demo.interrupt
      expect(demo.status).to eq(130), demo.output
      expect(demo.output).to end_with("\nStopped.\n")
      expect(processes.size).to be > 4
      expect(processes.select { |pid| File.exist?("/proc/#{pid}") }).to be_empty
      expect(database.dbsize).to eq(0)
    end
  end
end
