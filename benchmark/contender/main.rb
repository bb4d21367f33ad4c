# frozen_string_literal: true

# A contender's process. Each line of standard input is an operation as JSON; each line of output is what it cost.
require_relative 'application'
require_relative 'loads'
require_relative 'single'
require_relative 'workers'

module Bench
  module Contending
    # All operations. Each returns a {Stopwatch::Reading}.
    class Operations
      include Loads
      include Single
      include Workers
      include Chains
    end
  end
end

# Other output must not mix with the answers.
replies = $stdout.dup
$stdout.reopen($stderr)
operations = Bench::Contending::Operations.new

while (line = $stdin.gets)
  request = JSON.parse(line, symbolize_names: true)
  begin
    reading = operations.public_send(request[:operation], **request[:arguments])
    answer = reading.to_h
  rescue StandardError => e
    answer = { error: "#{e.class}: #{e.message} (#{e.backtrace.first(3).join(', ')})" }
  end
  replies.puts(JSON.generate(answer))
  replies.flush
end
