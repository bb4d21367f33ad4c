# frozen_string_literal: true

require 'open3'
require 'rbconfig'

# Ruby code in a process of its own, with this bundle: for gems that change Resque for good once they are loaded.
module RubyProcess
  PATHS = %w[lib spec].flat_map { |folder| ['-I', File.expand_path("../../#{folder}", __dir__)] }.freeze

  # @return [String] what the code printed
  def run_ruby(code, redis: REDIS_URL)
    output, status = Open3.capture2e({ 'REDIS_URL' => redis }, RbConfig.ruby, *PATHS, '-e', code)
    raise "the process failed: #{output}" unless status.success?

    output
  end
end
