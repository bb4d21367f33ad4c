# frozen_string_literal: true

# Job classes that note what they did in Redis lists, which survive any process.
module Jobs
  # Notes what ran, under a key that a spec reads with {FairState#done}.
  module Noting
    def note(text)
      Resque.redis.rpush('spec:done', text)
    end
  end

  class Fair
    extend Noting
    extend Resque::Plugins::FairShare

    fair_share_on :account_id

    # Subclasses have it too.
    def self.queue
      :fair
    end

    def self.perform(params)
      note("#{params['account_id']}:#{params['n']}")
      sleep params['seconds'] if params['seconds']
      public_send(params['then'], params) if params['then']
    end

    def self.fail(_params)
      raise 'told to fail'
    end

    def self.leave(_params)
      exit!
    end

    def self.kill_self(_params)
      Process.kill(:KILL, Process.pid)
      sleep
    end

    def self.mutate(params)
      params['account_id'] = 999
      params.clear
    end

    # A process that the job forks without a block, and that ends as an application's does: here, or by an error.
    def self.fork_and_leave(params)
      pid = Process.fork
      if pid.nil?
        raise 'an error of the forked process' if params['by'] == 'error'

        params['by'] == 'return' ? return : exit
      end
      Process.wait(pid)
      Resque.redis.rpush('spec:holding', Process.pid)
      Resque.redis.blpop('spec:go', timeout: 20)
      note("#{params['account_id']}:#{params['n']} ended")
    end

    # Runs until the spec lets it go.
    def self.hold(params)
      Resque.redis.rpush('spec:holding', Process.pid)
      Resque.redis.blpop('spec:go', timeout: 20)
      note("#{params['account_id']}:#{params['n']} ended")
    end
  end

  # Keeps the greatest number of its jobs that ran at once, for each account.
  class Counted < Fair
    def self.perform(params)
      account = params['account_id']
      running = Resque.redis.hincrby('spec:running', account, 1)
      Resque.redis.zadd('spec:most', running, account, gt: true)
      super
      Resque.redis.hincrby('spec:running', account, -1)
    end
  end

  class Plain
    extend Noting

    @queue = :fair

    def self.perform(*args)
      note("plain:#{args.first}")
      sleep args[1] if args[1]
    end
  end

  class Vetoed < Fair
    def self.before_perform_zz(*)
      raise Resque::Job::DontPerform
    end
  end

  class NotYielding < Fair
    def self.around_perform_zz(*); end
  end

  # Its failure hook kills the process that runs it, the first times.
  class DyingInFailureHook < Fair
    def self.on_failure_zz(_error, params)
      kill_self(params) if Resque.redis.incr('spec:hook') <= params['deaths']
    end
  end
end
