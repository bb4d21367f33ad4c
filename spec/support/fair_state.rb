# frozen_string_literal: true

# What a spec reads of a queue's state, by the keys that README and lua/README.md name, and with a client of its own.
module FairState
  def redis
    @redis ||= Redis.new(url: REDIS_URL)
  end

  # All keys but those that Resque itself keeps.
  def our_keys
    redis.scan_each(match: 'resque:fair_share:*').to_a.sort
  end

  def done
    redis.lrange('resque:spec:done', 0, -1)
  end

  # @return [Array<Array(String, String)>] what is in the failed list: "account:n" and the exception's class
  def failed
    redis.lrange('resque:failed', 0, -1).map do |entry|
      failure = JSON.parse(entry)
      [failure['payload']['args'].first.values_at('account_id', 'n').join(':'), failure['exception']]
    end
  end

  # @return [Array<Integer>] pids of the processes that run a Jobs::Fair.hold, in the order in which they began
  def holding
    redis.lrange('resque:spec:holding', 0, -1).map(&:to_i)
  end

  # Lets jobs that hold go on to their end.
  def let_go(count = 1)
    redis.rpush('resque:spec:go', Array.new(count, 'go'))
  end

  def pending(partition, queue = 'fair')
    redis.get("resque:fair_share:#{queue}:#{partition}:pending").to_i
  end

  def in_flight(partition, queue = 'fair')
    redis.get("resque:fair_share:#{queue}:#{partition}:in_flight").to_i
  end

  def leases(queue = 'fair')
    redis.hgetall("resque:fair_share:#{queue}:leases")
  end

  def waiting(partition, queue = 'fair')
    redis.llen("resque:fair_share:#{queue}:sub:#{partition}")
  end

  def enqueue(account, count = 1, job: Jobs::Fair, **more)
    count.times { |n| Resque.enqueue(job, account_id: account, n: n, **more) }
  end

  def reserve(queue = 'fair')
    Resque.reserve(queue)
  end

  # @return [String] the partition of a reserved job
  def account_of(job)
    job.args.first['account_id']
  end

  # All of a queue's state at one moment, so that workers may run meanwhile: every script leaves it consistent.
  STATE_OF_A_MOMENT = <<~LUA
    local root, lists, counters, in_flight = ARGV[1], {}, {}, {}
    for _, key in ipairs(redis.call('KEYS', root .. '*')) do
      local list = string.match(key, '^' .. ARGV[2] .. 'sub:(.*)$')
      local waiting, running = string.match(key, '^' .. ARGV[2] .. '(.*):pending$'),
                               string.match(key, '^' .. ARGV[2] .. '(.*):in_flight$')
      if redis.call('TYPE', key).ok == 'list' then
        lists[#lists + 1] = { list, redis.call('LLEN', key) }
      elseif waiting then
        counters[#counters + 1] = { waiting, tonumber(redis.call('GET', key)) }
      elseif running then
        in_flight[#in_flight + 1] = { running, tonumber(redis.call('GET', key)) }
      end
    end
    local indexed = { redis.call('ZRANGE', root .. 'partitions', 0, -1), redis.call('ZRANGE', root .. 'parked', 0, -1) }
    return { lists, counters, in_flight, redis.call('HVALS', root .. 'leases'), indexed,
             redis.call('HGET', root .. 'state', 'pending') or '0' }
  LUA

  # The counters say what the lists and the leases say, and nothing else is there.
  def expect_consistent(queue = 'fair')
    root = "resque:fair_share:#{queue}:"
    pattern = root.gsub(/[^a-zA-Z0-9]/) { |character| "%#{character}" }
    lists, counters, in_flight, leases, indexed, total = redis.eval(STATE_OF_A_MOMENT, argv: [root, pattern])

    expect(counters.to_h).to eq(lists.to_h)
    expect(in_flight.to_h).to eq(leases.map { |lease| lease.split(' ', 2).first }.tally)
    expect(indexed.flatten.sort).to eq(lists.to_h.keys.sort)
    expect(total.to_i).to eq(lists.to_h.values.sum)
  end

  # Nothing waits, nothing runs, and the gem has left nothing.
  def expect_drained(queue = 'fair')
    expect(our_keys).to eq([])
    expect(redis.llen("resque:queue:#{queue}")).to eq(0)
  end
end
