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

  # The counters say what the lists and the leases say, and nothing else is there.
  def expect_consistent(queue = 'fair')
    root = "resque:fair_share:#{queue}:"
    lists = redis.scan_each(match: "#{root}sub:*").to_h { |key| [key.delete_prefix("#{root}sub:"), redis.llen(key)] }
    counters = redis.scan_each(match: "#{root}*:pending").to_h do |key|
      [key.delete_prefix(root).delete_suffix(':pending'), redis.get(key).to_i]
    end
    running = leases(queue).values.map { |lease| lease.split(' ', 2).first }.tally
    in_flight = redis.scan_each(match: "#{root}*:in_flight").to_h do |key|
      [key.delete_prefix(root).delete_suffix(':in_flight'), redis.get(key).to_i]
    end
    indexed = redis.zrange("#{root}partitions", 0, -1) + redis.zrange("#{root}parked", 0, -1)

    expect(counters).to eq(lists)
    expect(in_flight).to eq(running)
    expect(indexed.sort).to eq(lists.keys.sort)
    expect(redis.hget("#{root}state", 'pending').to_i).to eq(lists.values.sum)
  end

  # Nothing waits, nothing runs, and nothing of ours is left.
  def expect_drained(queue = 'fair')
    expect(our_keys).to eq([])
    expect(redis.llen("resque:queue:#{queue}")).to eq(0)
  end
end
