# frozen_string_literal: true

# A worker in a process of its own, as `rake resque:work` starts one: it has performed no job itself, and forks for
# each. After a line of input it works on the queues named as arguments until nothing waits, and prints what that cost.
require_relative 'application'

reply = $stdout.dup
$stdout.reopen($stderr)
reply.puts('ready')
reply.flush
$stdin.gets or exit

reading = Bench::Contending::Stopwatch.time { Resque::Worker.new(*ARGV).work(0) }
reply.puts(JSON.generate(reading.to_h))
