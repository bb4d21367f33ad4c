# frozen_string_literal: true

require 'fileutils'
require 'open3'
require 'rbconfig'
require 'tmpdir'
require_relative '../../ext/resque_fair_share/toolchain'

RSpec.describe 'ext/resque_fair_share/extconf.rb' do
  let(:folder) { Dir.mktmpdir }

  after { FileUtils.remove_entry(folder) }

  # A program in the folder that is the whole PATH.
  def program(name, output, status: 0)
    File.write("#{folder}/#{name}", "#!/bin/sh\necho '#{output}'\nexit #{status}\n", perm: 0o755)
  end

  def libclang
    FileUtils.touch("#{folder}/libclang.so.1")
    folder
  end

  # The real extconf.rb in a process of its own; it sees what the example puts into the folder, and nothing else.
  def extconf(env = {})
    file = File.expand_path('../../ext/resque_fair_share/extconf.rb', __dir__)
    Bundler.with_unbundled_env do
      env = { 'PATH' => folder, ResqueFairShareToolchain::SKIP => nil, **env }
      Open3.capture2e(env, RbConfig.ruby, file, chdir: folder)
    end
  end

  it 'says that cargo is missing, and what to type on three systems' do
    program('rustc', 'rustc 1.95.0 (59807616e 2026-04-14)')

    output, status = extconf('LIBCLANG_PATH' => libclang)

    expect(status.exitstatus).to eq(1)
    expect(output).to include('* cargo, the build tool of Rust: there is none on the PATH that runs')
      .and include('apt-get install build-essential ruby-dev libclang-dev').and include('apk add').and include('macOS')
      .and include('https://sh.rustup.rs')
    expect(output.scan(/^  \* /).size).to eq(1)
    expect(File).not_to exist("#{folder}/Makefile")
  end

  it 'says which rustc is too old, and which one is needed' do
    program('cargo', 'cargo 1.60.0 (d1fd9fe 2022-03-01)')
    program('rustc', 'rustc 1.60.0 (7737e0b5c 2022-04-04)')

    output, status = extconf('LIBCLANG_PATH' => libclang)

    expect(status.exitstatus).to eq(1)
    expect(output).to include("* rustc #{ResqueFairShareToolchain::MINIMUM_RUSTC} or newer: " \
                              'the one on the PATH is rustc 1.60.0')
    expect(output.scan(/^  \* /).size).to eq(1)
  end

  it 'says that libclang is missing' do
    program('cargo', 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)')
    program('rustc', 'rustc 1.95.0 (59807616e 2026-04-14)')

    # bindgen looks nowhere else when this is set, and so does extconf.rb.
    output, status = extconf('LIBCLANG_PATH' => "#{folder}/none")

    expect(status.exitstatus).to eq(1)
    expect(output).to include("* libclang, the library that reads Ruby's C headers: " \
                              "LIBCLANG_PATH is #{folder}/none, and it isn't there")
    expect(output.scan(/^  \* /).size).to eq(1)
  end

  it 'names everything that is missing at once' do
    output, status = extconf('LIBCLANG_PATH' => "#{folder}/none")

    expect(status.exitstatus).to eq(1)
    expect(output.scan(/^  \* (\w+)/).flatten).to eq(%w[cargo rustc libclang])
  end

  it "takes rustup's stand-in for no cargo when no toolchain is installed" do
    program('cargo', 'error: rustup could not choose a version of cargo to run', status: 1)
    program('rustc', 'error: rustup could not choose a version of rustc to run', status: 1)

    output, = extconf('LIBCLANG_PATH' => libclang)

    expect(output.scan(/^  \* (\w+)/).flatten).to eq(%w[cargo rustc])
  end

  describe ResqueFairShareToolchain do
    def problems(**env)
      described_class.new(env: { 'PATH' => folder, **env.transform_keys(&:to_s) },
                          libclang_directories: ["#{folder}/llvm-*/lib"]).problems
    end

    before do
      program('cargo', 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)')
      program('rustc', 'rustc 1.95.0-nightly (59807616e 2026-04-14)')
    end

    it 'has no problem when all is there, libclang in a usual folder' do
      FileUtils.mkdir_p("#{folder}/llvm-14/lib")
      FileUtils.touch("#{folder}/llvm-14/lib/libclang-14.so.1")

      expect(problems).to be_empty
    end

    it 'finds libclang where llvm-config says, in LD_LIBRARY_PATH, or as the file LIBCLANG_PATH names' do
      FileUtils.mkdir_p("#{folder}/opt/lib")
      FileUtils.touch("#{folder}/opt/lib/libclang.so")

      expect(problems(LD_LIBRARY_PATH: "/nowhere:#{folder}/opt/lib")).to be_empty
      expect(problems(LIBCLANG_PATH: "#{folder}/opt/lib/libclang.so")).to be_empty
      expect(problems).to contain_exactly(/\Alibclang, .* isn't in any of the usual folders/)
      program('llvm-config', "#{folder}/opt")
      expect(problems).to be_empty
    end

    it 'takes the minimum itself for new enough, and compares numbers, not text' do
      program('rustc', "rustc #{described_class::MINIMUM_RUSTC}.0 (051478957 2024-07-21)")
      expect(problems(LIBCLANG_PATH: libclang)).to be_empty

      program('rustc', 'rustc 1.9.0 (e4e8b6668 2016-05-18)')
      expect(problems(LIBCLANG_PATH: libclang)).to contain_exactly(/the one on the PATH is rustc 1\.9\.0/)
    end
  end
end
