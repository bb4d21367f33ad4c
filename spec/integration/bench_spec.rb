# frozen_string_literal: true

require 'json'
require 'open3'
require 'rbconfig'
require 'tempfile'
require_relative '../../benchmark/options'
require_relative '../../benchmark/readme'
require_relative '../../benchmark/series'

# The Ruby part, as bin/bench starts it: the set-up is the same as the demo's. It deletes all keys, so it gets a server
# of its own.
RSpec.describe 'The benchmark' do
  let(:server) { RedisServer.start }

  let(:url) { "redis://127.0.0.1:#{server.port}/0" }
  let(:environment) { { 'REDIS_URL' => url, 'LC_ALL' => 'C.UTF-8' } }
  let(:program) { File.expand_path('../../benchmark/main.rb', __dir__) }

  def bench(*options)
    Open3.capture3(environment, RbConfig.ruby, program, *options)
  ensure
    server.stop
  end

  # Of the contenders and of the workers that they fork.
  def processes
    Dir['/proc/[0-9]*/environ'].count do |file|
      File.read(file).include?("BENCH_REDIS=#{url}")
    rescue SystemCallError
      false
    end
  end

  def wait_until(seconds)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    sleep 0.05 until yield || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
  end

  it 'measures a row and compares, with the machine' do
    output, errors, status = bench(*%w[--only enqueue --rounds 1 --jobs 100])

    expect(status.exitstatus).to eq(0), errors
    expect(output).to match(/^enqueue, 100 tenants +µs( +[\d,.]+){5} +≤ 0\.8 × plain: /)
      .and match(/Ruby [\d.]+, Resque [\d.]+, Redis [\d.]+\. Load average/)
      .and match(/^Goals met: [01] of 1\.$/)
  end

  it 'ends with all its processes when told to, and shows what it has measured', if: File.directory?('/proc/self') do
    options = %w[--only enqueue,workers --rounds 1 --jobs 10000]
    Open3.popen3(environment, RbConfig.ruby, program, *options) do |_, output, errors, bench|
      lines = Thread.new { errors.each_line.to_a }
      wait_until(60) { processes > 3 }
      expect(processes).to be > 3

      Process.kill('TERM', bench.pid)

      expect(bench.value.exitstatus).to eq(143), lines.value.join
      expect(output.read).to match(/^enqueue, 100 tenants/)
      wait_until(5) { processes.zero? }
      expect(processes).to eq(0)
    end
  ensure
    server.stop
  end

  it 'gives the same as data' do
    output, errors, status = bench(*%w[--only enqueue --rounds 2 --jobs 100 --json])

    expect(status.exitstatus).to eq(0), errors
    row = JSON.parse(output).dig('rows', 'enqueue', 0)
    expect(row['contenders'].transform_values { |one| one['rounds'].size }).to eq('plain' => 2, 'old' => 2, 'ours' => 2)
    expect(row['ratios'].keys).to eq(%w[plain old])
    expect(row['details'].dig('ours', 'cpu_us')).to be_positive
  end

  {
    '--only reserv' => /there is no row reserv; there are enqueue, reserve/,
    '--rounds 0' => /--rounds is 0; it must be from 1 to 1000/,
    '--write --only chain' => /--write needs all rows; leave out --only/,
    'now' => /now/
  }.each do |arguments, message|
    it "refuses #{arguments}, and says why" do
      expect { Bench::Options.parse(arguments.split) }
        .to raise_error(an_instance_of(SystemExit).and(having_attributes(status: 2))).and output(message).to_stderr
    end
  end

  it 'takes medians, and ratios round by round' do
    ours = Bench::Series.new([1, 6, 2])
    expect((ours / Bench::Series.new([2, 3, 2])).to_h).to eq(median: 1.0, min: 0.5, max: 2.0)
    expect(Bench::Series.new([4, 1, 2, 3]).median).to eq(2.5)
  end

  it 'writes between the markers of a README, and no further' do
    Tempfile.create('README') do |file|
      File.write(file.path, "before\n<!-- benchmark -->\nold\n<!-- /benchmark -->\nafter\n")
      Bench::Readme.new(file.path).write('new')
      expect(File.read(file.path)).to eq("before\n<!-- benchmark -->\n\nnew\n\n<!-- /benchmark -->\nafter\n")
    end
  end
end
