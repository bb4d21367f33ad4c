# frozen_string_literal: true

require 'open3'
require 'rbconfig'
require 'rubygems'

# Checks for the tools that the extension needs besides Ruby and a C compiler: cargo, a recent rustc, and libclang, with
# which rb-sys reads Ruby's headers.
#
# @example a sentence for each missing tool; none if the extension can be compiled
#   ResqueFairShareToolchain.new.problems
class ResqueFairShareToolchain
  CARGO_TOML = File.expand_path('../../Cargo.toml', __dir__)

  # The oldest rustc that compiles the extension, from the workspace's rust-version.
  MINIMUM_RUSTC = File.read(CARGO_TOML)[/^rust-version = "(.+)"/, 1]

  # Any value skips the checks, for a machine where they are wrong.
  SKIP = 'RESQUE_FAIR_SHARE_SKIP_TOOLCHAIN_CHECK'

  # The files that the clang-sys crate looks for when bindgen runs, and the folders where it looks.
  LIBCLANG_FILES = %w[libclang.so libclang-*.so libclang.so.* libclang-*.so.* libclang.dylib].freeze
  LIBCLANG_DIRECTORIES = %w[
    /usr/lib/llvm*/lib* /usr/local/llvm*/lib* /usr/local/lib*/*/* /usr/local/lib*/* /usr/local/lib*
    /usr/lib*/*/* /usr/lib*/* /usr/lib*
    /usr/local/opt/llvm*/lib /opt/homebrew/opt/llvm*/lib /Library/Developer/CommandLineTools/usr/lib
    /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib
  ].freeze

  HELP = <<~TEXT
    On Debian and Ubuntu:
      apt-get install build-essential ruby-dev libclang-dev
    On Alpine:
      apk add build-base ruby-dev clang-dev
    On macOS:
      xcode-select --install

    Rust, on any of them, from https://rustup.rs (a distribution's own package will do if it is recent enough):
      curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal
      . "$HOME/.cargo/env"
  TEXT

  # @param env [Hash{String => String}] the environment variables to use: PATH, LIBCLANG_PATH, LD_LIBRARY_PATH
  # @param libclang_directories [Array<String>] glob patterns of the folders to search for libclang
  def initialize(env: ENV.to_h, libclang_directories: LIBCLANG_DIRECTORIES)
    @env = env
    @libclang_directories = libclang_directories
  end

  # Ends the process with a plain message if a tool is missing.
  #
  # @return [void]
  # @raise [SystemExit] status 1
  def check!
    return if @env[SKIP]

    missing = problems
    abort message(missing) unless missing.empty?
  end

  # @return [Array<String>] a sentence for each missing tool
  def problems
    [cargo_problem, rustc_problem, libclang_problem].compact
  end

  # @return [String, nil] the path of a libclang that bindgen will find
  def libclang
    return libclang_in(@env['LIBCLANG_PATH']) if @env['LIBCLANG_PATH'] # then bindgen looks nowhere else

    directories = [*llvm_config_directories, *@env['LD_LIBRARY_PATH'].to_s.split(File::PATH_SEPARATOR),
                   *@libclang_directories.lazy.flat_map { |pattern| Dir.glob(pattern) }]
    directories.each { |directory| libclang_in(directory)&.then { |file| return file } }
    nil
  end

  private

  def message(missing)
    <<~TEXT

      resque-fair-share-rs can't be compiled here. Part of it is written in Rust, and this is missing:

      #{missing.map { |problem| "  * #{problem}" }.join("\n")}

      #{HELP}
      Then try again. (#{SKIP}=1 skips this check.)

    TEXT
  end

  def cargo_problem
    'cargo, the build tool of Rust: there is none on the PATH that runs' unless version_of('cargo')
  end

  def rustc_problem
    found = version_of('rustc')
    return "rustc #{MINIMUM_RUSTC} or newer: there is none on the PATH that runs" unless found
    return if Gem::Version.new(found[/\d+(\.\d+)*/]) >= Gem::Version.new(MINIMUM_RUSTC)

    "rustc #{MINIMUM_RUSTC} or newer: the one on the PATH is rustc #{found}"
  end

  def libclang_problem
    # RubyInstaller's packages contain libclang on Windows, and so does the libclang gem.
    return if windows? || Gem::Specification.find_all_by_name('libclang').any? || libclang

    told = @env['LIBCLANG_PATH']
    where = told ? "LIBCLANG_PATH is #{told}, and it isn't there" : "it isn't in any of the usual folders"
    "libclang, the library that reads Ruby's C headers: #{where}"
  end

  def libclang_in(path)
    return path if File.file?(path) && LIBCLANG_FILES.any? { |name| File.fnmatch?(name, File.basename(path)) }

    LIBCLANG_FILES.lazy.flat_map { |name| Dir.glob(File.join(path, name)) }.first
  end

  def llvm_config_directories
    prefix = output_of('llvm-config', '--prefix')
    prefix ? %w[bin lib lib64].map { |name| File.join(prefix.strip, name) } : []
  end

  def version_of(command)
    output_of(command, '--version')&.slice(/^#{command} (\d\S*)/, 1)
  end

  # The command's output; nil if there is no such command, or it fails, as rustup's proxies do without a toolchain.
  def output_of(command, *arguments)
    output, status = Open3.capture2e(@env, command, *arguments, unsetenv_others: true)
    output if status.success?
  rescue SystemCallError
    nil
  end

  def windows?
    RbConfig::CONFIG['host_os'].match?(/mswin|mingw|cygwin/)
  end
end
