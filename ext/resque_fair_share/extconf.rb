# frozen_string_literal: true

# Before anything else: without these the build ends minutes later, in a message nobody can read.
require_relative 'toolchain'
ResqueFairShareToolchain.new.check!

require 'mkmf'
require 'rb_sys/mkmf'

create_rust_makefile('resque/fair_share/resque_fair_share') do |config|
  # Installing a gem must not install a compiler that nobody asked for.
  config.auto_install_rust_toolchain = false
end
