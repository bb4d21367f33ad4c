# frozen_string_literal: true

require 'fileutils'
require 'rbconfig'
require 'tempfile'
require 'tmpdir'

# The demo in a process of its own, away from any terminal.
class DemoProcess
  ROOT = File.expand_path('../..', __dir__)
  # As bin/demo starts it.
  RUBY_PART = [RbConfig.ruby, '-I', "#{ROOT}/lib", "#{ROOT}/demo/main.rb"].freeze
  # With its set-up.
  COMMAND = ["#{ROOT}/bin/demo"].freeze

  # @return [Integer]
  attr_reader :pid
  # @return [String] its folder for temporary files
  attr_reader :folder

  # @param environment [Hash{String => String}]
  def initialize(*options, environment: {}, command: RUBY_PART)
    @folder = Dir.mktmpdir
    @log = Tempfile.new
    @pid = Process.spawn({ 'LC_ALL' => 'C.UTF-8', 'TMPDIR' => @folder, **environment }, *command, *options,
                         out: @log.path, err: %i[child out], pgroup: true)
  end

  # @return [String] what it has printed
  def output
    File.read(@log.path)
  end

  # @return [String] what its keys begin with
  def namespace
    "fair-share-demo-#{pid}"
  end

  # As a terminal does it, to all that were started from there.
  def interrupt
    Process.kill(:INT, -pid)
  end

  # Waits for its end.
  # @return [Integer] its exit status
  def status
    @status ||= Process.wait2(pid).last.exitstatus
  end

  def clean
    unless @status
      Process.kill(:TERM, -pid)
      status
    end
    @log.close!
    FileUtils.rm_rf(folder)
  end
end
