# frozen_string_literal: true

# The Ruby part of bin/demo, for when everything is set up:
#
#   bundle exec ruby -I lib demo/main.rb --jobs 500
require_relative '../bin/support/interruption'
require_relative 'options'

settings = Demo::Options.parse(ARGV)
Support::Interruption.watch

$stdout.sync = true
begin
  exit settings.program.call
rescue Errno::EPIPE
  exit 1 # as in `bin/demo | head -3`
end
