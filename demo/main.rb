# frozen_string_literal: true

# The Ruby part of bin/demo, for when all is set up:
#
#   REDIS_URL=redis://127.0.0.1:6379/0 bundle exec ruby -I lib demo/main.rb --jobs 500
require_relative 'options'
require_relative 'interruption'

settings = Demo::Options.parse(ARGV)
Demo::Interruption.watch

$stdout.sync = true
begin
  exit settings.program.call
rescue Errno::EPIPE
  exit 1 # as in `bin/demo | head -3`
end
