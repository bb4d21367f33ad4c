# frozen_string_literal: true

# Redis as MONITOR shows it.
module Monitoring
  # => a line for each command that clients sent, without those inside of scripts
  def monitored
    seen = Thread::Queue.new
    watcher = Thread.new { Redis.new(url: REDIS_URL).monitor { |line| seen << line } }
    seen.pop # OK
    yield
    redis.echo('the end')
    lines = []
    while (line = seen.pop) && !line.include?('the end')
      lines << line unless line.include?(' lua] ')
    end
    lines
  ensure
    watcher&.kill
  end

  # => names of the commands in such lines
  def commands_in(lines)
    lines.map { |line| line[/"(\w+)"/, 1].downcase }
  end
end
