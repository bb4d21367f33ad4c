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
    @queue = :fair
    fair_share_on :account_id

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
  end

  class Plain
    extend Noting
    @queue = :fair

    def self.perform(*args)
      note("plain:#{args.first}")
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
end
