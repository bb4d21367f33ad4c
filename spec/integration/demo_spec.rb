# frozen_string_literal: true

require 'uri'
require_relative '../support/demo_process'

RSpec.describe 'The demo' do
  # A database of its own.
  let(:url) { URI(REDIS_URL).tap { |uri| uri.path = '/9' }.to_s }
  let(:database) { Redis.new(url: url) }
  let(:arguments) { [] }
  let(:environment) { { 'REDIS_URL' => url } }
  let(:demo) { DemoProcess.new(*arguments.flat_map(&:split), environment: environment) }

  before { database.flushdb }
  after { demo.clean }

  def running?(pid)
    Process.kill(0, pid)
    true
  rescue Errno::ESRCH
    false
  end

  describe 'with few jobs' do
    let(:arguments) { ['--jobs 100', '--tenants 3', '--small-jobs 10', '--workers 2', '--job-ms 5'] }

    it 'runs both loads, and ends well' do
      expect(demo.status).to eq(0), demo.output
      expect(demo.output.scan(/^(plain|fair ): \|=+\|$/).flatten).to eq(['plain', 'fair '])
      expect(demo.output).to end_with("All 260 jobs ran exactly once.\n")
      expect(demo.output).not_to match(/\e|\r/)
      expect(database.dbsize).to eq(0)
    end

    it 'compares them' do
      demo.status
      { 'whale' => 100, '3 small tenants' => 30 }.each do |label, jobs|
        row = /^\| (?:plain|fair ) \| #{label} +\| +#{jobs} \|(?: +[\d.]+ s \|){4} +(?:[\d.]+ %|-)/
        expect(demo.output.scan(row).size).to eq(2)
        expect(demo.output.scan(/^(?:plain|fair ) +#{label} +█+░* +[\d.]+ s$/).size).to eq(2)
      end
      expect(demo.output.split.join(' '))
        .to match(/Jain's fairness index of that time: plain 0\.\d\d, fair [01]\.\d\d\./)
        .and match(/With fair share a small tenant's job waited [\d.]+ s \(median\) instead of [\d.]+ s, /)
    end
  end

  describe 'with weights, where the locale has no bars' do
    let(:arguments) { ['--jobs 40', '--tenants 3', '--workers 2', '--job-ms 5', '--weights b=3'] }
    let(:environment) { { 'REDIS_URL' => url, 'LC_ALL' => 'C' } }

    it 'gives tenants with a weight lines of their own, and draws with ASCII' do
      expect(demo.status).to eq(0), demo.output
      ['whale, weight 1', 'small tenant b, weight 3', '2 small tenants, weight 1'].each do |label|
        expect(demo.output.scan(/^\| (?:plain|fair ) \| #{label} +\| +\d+ \|/).size).to eq(2)
        expect(demo.output.scan(/^(?:plain|fair ) +#{label} +#+-* +[\d.]+ s$/).size).to eq(2)
      end
      expect(demo.output).to be_ascii_only
    end
  end

  describe 'with --keep' do
    let(:arguments) { ['--jobs 10', '--tenants 2', '--small-jobs 2', '--workers 1', '--job-ms 0', '--keep'] }

    it 'leaves the data there, and says how to look at it' do
      expect(demo.status).to eq(0), demo.output
      lists = %w[plain fair].map { |title| "#{demo.namespace}:done:#{title}" }
      expect(lists.map { |list| database.llen(list) }).to eq([14, 14])
      expect(demo.output).to include(*lists.map { |list| "redis-cli -u #{url} lrange #{list} 0 9" })
    end
  end

  { 'plain' => 'queue:plain', 'fair' => 'fair_share:fair:sub:whale' }.each do |title, list|
    describe "when somebody meddles with the #{title} run" do
      let(:arguments) { ['--jobs 30', '--tenants 1', '--small-jobs 5', '--workers 1', '--job-ms 10'] }
      let(:waiting) { "#{demo.namespace}:#{list}" }

      before { wait_until("jobs in #{list}", seconds: 60) { database.llen(waiting) > 5 } }

      it 'fails for a job that was lost' do
        expect(database.rpop(waiting)).not_to be_nil
        expect(demo.status).to eq(1), demo.output
        expect(demo.output).to match(/^FAILED: not every job ran exactly once\.\n#{title} run: 1 job \(\S+\) was lost/)
        expect(database.dbsize).to eq(0)
      end

      it 'fails for a job that ran twice' do
        payload = database.lindex(waiting, -1)[/\{.*/m]
        database.rpush("#{demo.namespace}:queue:#{title}", payload)
        expect(demo.status).to eq(1), demo.output
        expect(demo.output).to match(/^FAILED: .*\n#{title} run: 1 job \(\S+\) was run more than once$/)
      end
    end
  end

  describe 'stopped with Ctrl-C' do
    let(:arguments) { ['--workers 2', '--job-ms 300'] }

    def processes_of_workers
      workers = database.smembers("#{demo.namespace}:workers").map { |id| id.split(':')[1].to_i }
      workers + workers.flat_map { |pid| File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i) }
    end

    it 'leaves no process and no key behind' do
      wait_until('jobs that ran') { database.llen("#{demo.namespace}:done:plain").positive? }
      processes = processes_of_workers
      demo.interrupt

      expect(demo.status).to eq(130), demo.output
      expect(demo.output).to end_with("\nStopped.\n")
      expect(processes.size).to be >= 2
      expect(processes.select { |pid| running?(pid) }).to be_empty
      expect(database.dbsize).to eq(0)
    end
  end

  describe 'without a Redis' do
    let(:environment) { { 'REDIS_URL' => 'redis://:secret@127.0.0.1:1/0' } }

    it 'says where it looked, and keeps the password to itself' do
      expect(demo.status).to eq(1)
      expect(demo.output).to match(%r{^bin/demo: no Redis answers at redis://127\.0\.0\.1:1/0: })
      expect(demo.output).not_to include('secret')
    end
  end

  # The whole command. The set-up is there, else the specs would not run.
  describe 'bin/demo' do
    let!(:environment) { { 'REDIS_URL' => nil, 'BUNDLE_PATH' => ENV.fetch('BUNDLE_PATH', nil) } }
    let(:demo) do
      # As a person calls it: without what `bundle exec` has set for the specs.
      Bundler.with_unbundled_env do
        DemoProcess.new(*arguments.flat_map(&:split), environment: environment, command: DemoProcess::COMMAND)
      end
    end

    describe '--help' do
      let(:arguments) { ['--help'] }

      it 'tells what there is' do
        expect(demo.status).to eq(0)
        expect(demo.output).to eq(File.read("#{DemoProcess::ROOT}/demo/help.txt"))
      end
    end

    describe 'stopped with Ctrl-C' do
      let(:arguments) { ['--workers 1', '--job-ms 300'] }

      it 'ends its own redis-server, and removes its folder' do
        wait_until('the demo', seconds: 120) { demo.output.include?('keys fair-share-demo-') }
        port = demo.output[/^Redis: redis:\S+:(\d+)/, 1]
        server = Redis.new(port: port).info('server').fetch('process_id').to_i
        expect(Dir.children(demo.folder).size).to eq(1)
        demo.interrupt

        expect(demo.status).to eq(130), demo.output
        expect(running?(server)).to be(false)
        expect(Dir.children(demo.folder)).to be_empty
      end
    end
  end
end
