# frozen_string_literal: true

require_relative '../../demo/options'

RSpec.describe Demo::Options do
  let(:help) { File.read(described_class::HELP).split(/^Job chains:/) }

  def takes_all(text)
    values = { 'N' => '70', '[N]' => '70', 'LIST' => 'a=3' }
    options = text.scan(/^  (--[a-z-]+) (\S*)/).map { |option, value| [option, values[value]] }
    expect { described_class.parse(options.flatten.compact) }.not_to raise_error
  end

  it 'has the defaults that the help tells, and an option for each line of it' do
    described_class::NUMBERS.each_key do |name|
      expect(help.first).to match(/^  --#{name.to_s.tr('_', '-')} N .*\(#{described_class.parse([])[name]}\)$/)
    end
    takes_all(help.first)
  end

  it 'has those of chains, too' do
    settings = described_class.parse(%w[--chains --workers 4])
    expect(settings.to_h).to eq(chains: 50, workers: 4, job_ms: 200, keep: false)
    { '--chains [N]' => :chains, '--workers N' => :workers, '--job-ms N' => :job_ms }.each do |option, name|
      expect(help.last).to match(/^  #{Regexp.escape(option)} .*\(#{settings[name]}\)$/)
    end
    takes_all(help.last)
  end

  it 'reads those of chains' do
    expect(described_class.parse(%w[--workers 3 --job-ms 90 --keep --chains 7]).to_h)
      .to eq(chains: 7, workers: 3, job_ms: 90, keep: true)
  end

  it 'reads all of them' do
    settings = described_class.parse(%w[--tenants 3 --jobs 40 --small-jobs 5 --workers 2 --job-ms 0
                                        --weights a=3,whale=0.5 --keep])
    expect(settings.to_h).to eq(tenants: 3, jobs: 40, small_jobs: 5, workers: 2, job_ms: 0,
                                weights: { 'a' => 3.0, 'whale' => 0.5 }, keep: true)
  end

  {
    '--jobs 0' => /--jobs is 0; it must be from 1 to/,
    '--jobs many' => /--jobs many/,
    '--weights a=0' => /--weights has "a=0"/,
    '--weights a' => /--weights has "a"/,
    '--weights x=2 --tenants 3' => /there is no tenant x; there are whale, a to c/,
    '--kee' => /invalid option: --kee/,
    'now' => /now/,
    '--chains 1' => /--chains is 1; it must be from 2 to/,
    '--chains --workers 1' => /--workers is 1; it must be from 2 to/,
    '--chains now' => /--chains now/,
    '--chains --jobs 7' => /invalid option: --jobs/
  }.each do |arguments, message|
    it "refuses #{arguments}, and says why" do
      expect { described_class.parse(arguments.split) }
        .to raise_error(an_instance_of(SystemExit).and(having_attributes(status: 2))).and output(message).to_stderr
    end
  end
end
