# frozen_string_literal: true

require 'fileutils'
require 'rbconfig'
require 'tmpdir'
require 'uri'

# The Ruby part of bin/demo, as bin/demo starts it, with few jobs and in a database of its own.
RSpec.describe 'The demo' do
  let(:root) { File.expand_path('../..', __dir__) }
  let(:url) { URI(REDIS_URL).tap { |uri| uri.path = '/9' }.to_s }
  let(:database) { Redis.new(url: url) }
  let(:folder) { Dir.mktmpdir }
  let(:log) { "#{folder}/log" }

  before { database.flushdb }

  after do
    Process.kill(:TERM, @demo) if @demo
    FileUtils.rm_rf(folder)
  end

  def start(*options, command: [RbConfig.ruby, '-I', "#{root}/lib", "#{root}/demo/main.rb"], **environment)
    @demo = Process.spawn({ 'REDIS_URL' => url, 'LC_ALL' => 'C.UTF-8', **environment.transform_keys(&:to_s) },
                          *command, *options, out: log, err: %i[child out], pgroup: true)
  end

  # @return [Array(Integer, String)] the exit status, and what was printed
  def finish
    status = Process.wait2(@demo).last.exitstatus
    @demo = nil
    [status, File.read(log)]
  end

  # A key of this demo.
  def key(name)
    "fair-share-demo-#{@demo}:#{name}"
  end

  def processes_of_workers
    workers = database.smembers(key('workers')).map { |id| id.split(':')[1].to_i }
    workers + workers.flat_map { |pid| File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i) }
  end

  def running?(pid)
    Process.kill(0, pid)
    true
  rescue Errno::ESRCH
    false
  end

  # The running job is the one before the last: the queue has more.
  def wait_for_queue(name)
    wait_until("a queue in #{name}") { database.llen(name) > 5 }
  end

  it 'runs both loads and compares them' do
    start('--jobs', '40', '--tenants', '3', '--small-jobs', '10', '--workers', '2', '--job-ms', '5')
    status, output = finish

    expect(status).to eq(0), output
    expect(output.scan(/^(plain|fair ) 70 of 70 jobs done in [\d.]+ s$/).flatten).to eq(['plain', 'fair '])
    line = ' +%d +([\d.]+ s +){4}([\d.]+ %%|-)'
    expect(output).to match(/^plain Resque queue\n  whale#{format(line, 40)}\n  3 small tenants#{format(line, 30)} each\n/)
    expect(output).to match(/^fair share\n  whale#{format(line, 40)}\n  3 small tenants#{format(line, 30)} each\n/)
    expect(output).to match(/Jain's fairness index of that time: plain 0\.\d\d, fair [01]\.\d\d\./)
    expect(output.scan(/^  (?:plain|fair ) (?:whale|3 small tenants) +█+░* +[\d.]+ s$/).size).to eq(4)
    expect(output).to match(/With fair share a small tenant's job waited [\d.]+ s \(median\) instead of\s[\d.]+ s, /)
    expect(output).to end_with("All 140 jobs ran exactly once.\n")
    expect(output).not_to match(/\e|\r/)
    expect(database.dbsize).to eq(0)
  end

  it 'gives tenants with a weight lines of their own, and draws with ASCII where the locale has no more' do
    start('--jobs', '40', '--tenants', '3', '--workers', '2', '--job-ms', '5', '--weights', 'b=3', LC_ALL: 'C')
    status, output = finish

    expect(status).to eq(0), output
    ['whale, weight 1', 'small tenant b, weight 3', '2 small tenants, weight 1'].each do |label|
      expect(output.scan(/^  #{label} +\d+ /).size).to eq(2)
      expect(output.scan(/^  (?:plain|fair ) #{label} +#+-* +[\d.]+ s$/).size).to eq(2)
    end
    expect(output).to be_ascii_only
  end

  it 'leaves the data there with --keep' do
    start('--jobs', '10', '--tenants', '2', '--small-jobs', '2', '--workers', '1', '--job-ms', '0', '--keep')
    keys = [key('done:plain'), key('done:fair')]
    status, output = finish

    expect(status).to eq(0), output
    expect(keys.map { |name| database.llen(name) }).to eq([14, 14])
    keys.each { |name| expect(output).to include("redis-cli -u #{url} lrange #{name} 0 9") }
    expect(database.keys - database.keys("#{keys.first.split(':').first}:*")).to be_empty
  end

  { 'plain' => 'queue:plain', 'fair' => 'fair_share:fair:sub:whale' }.each do |title, list|
    it "fails when a job was lost in the #{title} run" do
      start('--jobs', '30', '--tenants', '1', '--small-jobs', '5', '--workers', '1', '--job-ms', '10')
      name = key(list)
      wait_for_queue(name)
      expect(database.rpop(name)).not_to be_nil
      status, output = finish

      expect(status).to eq(1), output
      expect(output).to match(/^FAILED: not every job ran exactly once\.\n#{title} run: 1 job \([\w-]+\) was lost/)
      expect(output).not_to include('ran exactly once.\nAll')
      expect(database.dbsize).to eq(0)
    end

    it "fails when a job ran twice in the #{title} run" do
      start('--jobs', '30', '--tenants', '1', '--small-jobs', '5', '--workers', '1', '--job-ms', '10')
      wait_for_queue(key(list))
      payload = database.lindex(key(list), -1)
      # A whole job, as one would be that somebody puts into the queue again.
      database.rpush(key("queue:#{title}"), payload[/\{.*/m])
      status, output = finish

      expect(status).to eq(1), output
      expect(output).to match(/^#{title} run: 1 job \([\w-]+\) was run more than once$/)
    end
  end

  it 'ends its workers and deletes its keys when Ctrl-C stops it' do
    start('--workers', '2', '--job-ms', '300')
    name = key('done:plain')
    wait_until('jobs that ran') { database.llen(name).positive? }
    processes = processes_of_workers
    Process.kill(:INT, -@demo) # as a terminal: to the whole group
    status, output = finish

    expect(status).to eq(130), output
    expect(output).to end_with("\nStopped.\n")
    expect(processes.size).to be >= 2
    expect(processes.select { |pid| running?(pid) }).to be_empty
    expect(database.dbsize).to eq(0)
  end

  it 'says so when no Redis is there' do
    start(REDIS_URL: 'redis://:secret@127.0.0.1:1/0')
    status, output = finish

    expect(status).to eq(1)
    expect(output).to match(%r{^bin/demo: no Redis answers at redis://127\.0\.0\.1:1/0: })
    expect(output).not_to include('secret')
  end

  describe 'bin/demo', :setup do
    def start_command(*options)
      Bundler.with_unbundled_env { start(*options, command: ["#{root}/bin/demo"], REDIS_URL: nil, TMPDIR: folder) }
    end

    def folders
      Dir.children(folder) - ['log']
    end

    it 'tells its options without setting anything up' do
      start_command('--help')
      expect(finish).to eq([0, File.read("#{root}/demo/help.txt")])
    end

    it 'starts a redis-server of its own; Ctrl-C ends it, and removes its folder' do
      start_command('--workers', '1', '--job-ms', '300')
      wait_until('the demo', seconds: 300) { File.read(log).include?('keys fair-share-demo-') }
      port = File.read(log)[/^Redis: redis:\S+:(\d+)/, 1]
      server = Redis.new(port: port).info('server').fetch('process_id').to_i
      expect(folders.size).to eq(1)
      Process.kill(:INT, -@demo)
      status, output = finish

      expect(status).to eq(130), output
      wait_until('the end of redis-server') { !running?(server) }
      expect(folders).to be_empty
    end
  end
end
