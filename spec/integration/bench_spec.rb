# frozen_string_literal: true

require 'json'
require 'open3'
require 'rbconfig'
require 'tmpdir'
require_relative '../../benchmark/options'
require_relative '../../benchmark/page'
require_relative '../../benchmark/report'
require_relative '../../bin/support/machine'
require_relative '../../bin/support/series'

# The Ruby part, as bin/bench starts it: the set-up is the same as the demo's.
RSpec.describe 'The benchmark' do
  let(:environment) { { 'LC_ALL' => 'C.UTF-8' } }
  let(:program) { File.expand_path('../../benchmark/main.rb', __dir__) }

  def bench(*options)
    Open3.capture3(environment, RbConfig.ruby, program, *options)
  end

  def children(pid)
    File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)
  rescue SystemCallError
    []
  end

  # Each leads a group, to which the workers that it forks belong. So does the redis-server.
  def groups_of(bench)
    children(bench.pid).select { |pid| Process.getpgid(pid) == pid }
  rescue Errno::ESRCH
    []
  end

  def gone?(group)
    Process.kill(0, -group)
    false
  rescue Errno::ESRCH
    true
  end

  def working?(contender)
    children(contender).any? { |worker| children(worker).any? }
  end

  # Yields the benchmark's pid and the working contender's when the first worker forks. Then all have seconds to end.
  def amid_workers
    Open3.popen3(environment, RbConfig.ruby, program, *%w[--only enqueue,workers --rounds 1 --full]) do |*io, bench|
      working = wait_until('a worker', seconds: 60) { groups_of(bench).find { |contender| working?(contender) } }
      groups = groups_of(bench)
      yield bench.pid, working

      expect(groups.size).to eq(4)
      wait_until('the end of all', seconds: 8) { !bench.alive? && groups.all? { |group| gone?(group) } }
      [*io.drop(1).map(&:read), bench.value]
    end
  end

  it 'measures a row and compares, with the machine' do
    output, errors, status = bench(*%w[--only enqueue --rounds 1 --jobs 100])

    expect(status.exitstatus).to eq(0), errors
    expect(output).to match(/^\| enqueue, 100 tenants \| µs   \|( +[\d,.]+ \|){5} ≤ 0\.8 × plain: /)
      .and match(/Ruby [\d.]+, Resque [\d.]+, Redis [\d.]+\. Load average/)
      .and match(/^Goals met: [01] of 1\.$/)
  end

  # Only the first signal counts.
  { %w[TERM] => 143, %w[INT TERM] => 130, %w[HUP TERM] => 129 }.each do |signals, exit_status|
    it "ends at once by #{signals.join(' and ')}, with all its processes, and shows what it has measured",
       if: File.directory?('/proc/self') do
      output, _, status = amid_workers { |bench| signals.each { |signal| Process.kill(signal, bench) } }

      expect(status.exitstatus).to eq(exit_status)
      expect(output).to match(/^\| enqueue, 100 tenants/)
    end
  end

  it 'shows what it has measured when a contender dies', if: File.directory?('/proc/self') do
    output, errors, status = amid_workers { |_, contender| Process.kill(:KILL, -contender) }

    expect(status.exitstatus).to eq(1)
    expect(output).to match(/^\| enqueue, 100 tenants/)
    expect(errors).to match(%r{^bin/bench: the process of plain has ended in drain$})
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
    '--only ,' => /--only names no row; there are enqueue, reserve/,
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
    ours = Support::Series.new([1, 6, 2])
    expect((ours / Support::Series.new([2, 3, 2])).to_h).to eq(median: 1.0, min: 0.5, max: 2.0)
    expect(Support::Series.new([4, 1, 2, 3]).median).to eq(2.5)
  end

  it 'writes a page with a table for each topic, and draws a line for each contender as far as it was measured' do
    sizes = { 10 => %i[ours plain old], 100 => %i[ours] }
    scale = sizes.map do |tenants, names|
      Bench::Result.new('scale', "#{tenants} tenants", 'µs', names.to_h { |name| [name, [9]] }, { tenants: tenants })
    end
    report = Bench::Report.new({ 'scale' => scale }, Support::Machine.new('7.2'))
    Dir.mktmpdir do |folder|
      Bench::Page.new("#{folder}/RESULTS.md").write({ 'scale' => scale }, report)

      expect(File.read("#{folder}/RESULTS.md")).to start_with("# Benchmark results\n")
        .and include('| scale | unit | ours | plain |').and include("\n| 10 tenants | µs | 9.00 | 9.00 | 9.00 |")
        .and end_with("\n\n![scale](results/scale.svg)\n")
      lines = File.read("#{folder}/results/scale.svg").scan(/<polyline points="([^"]*)".* stroke-width="2.5"/).flatten
      expect(lines.map { |points| points.split.size }).to eq([2, 1, 1])
    end
  end
end
