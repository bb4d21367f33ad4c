# frozen_string_literal: true

require_relative '../../demo/options'

RSpec.describe Demo::Options do
  it 'has the defaults that the help tells, and an option for each line of it' do
    help = File.read(described_class::HELP)
    settings = described_class.parse([])

    described_class::NUMBERS.each_key do |name|
      expect(help).to match(/^  --#{name.to_s.tr('_', '-')} N .*\(#{settings[name]}\)$/)
    end
    options = help.scan(/^  (--[a-z-]+)/).flatten - ['--keep']
    expect { described_class.parse(options.flat_map { |option| [option, option == '--weights' ? 'a=3' : '7'] }) }
      .not_to raise_error
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
    'now' => /now/
  }.each do |arguments, message|
    it "refuses #{arguments}, and says why" do
      expect { described_class.parse(arguments.split) }
        .to raise_error(an_instance_of(SystemExit).and(having_attributes(status: 2))).and output(message).to_stderr
    end
  end
end
