# frozen_string_literal: true

# Check these first: without them the build fails minutes later, with a message that nobody understands.
require_relative 'toolchain'
ResqueFairShareToolchain.new.check!

require 'mkmf'
require 'rb_sys/mkmf'

create_rust_makefile('resque/fair_share/resque_fair_share') do |config|
  # Installing a gem must not install a compiler without being asked.
  config.auto_install_rust_toolchain = false
end
