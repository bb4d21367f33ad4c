# frozen_string_literal: true

# Steps of chains that do what their arguments say, and note it where any process can see it.
module Jobs
  class Step
    extend Noting
    extend Resque::Plugins::JobChain

    # Subclasses have it too.
    def self.queue
      :steps
    end

    def self.perform(params)
      note("#{params['_chain_id']}:#{params['_step_index']}")
      public_send(params['does'], params) if params['does']
    end

    # Keeps what it got.
    def self.tell(params)
      Resque.redis.rpush('spec:params', Resque.encode(params))
    end

    def self.fail(params)
      raise params.fetch('message', 'told to fail')
    end

    # The first times.
    def self.fail_at_first(params)
      tries = Resque.redis.incr("spec:tries:#{params['_chain_id']}:#{params['_step_index']}")
      raise "try #{tries}" if tries <= params.fetch('times', 1)
    end

    def self.update(params)
      Resque::JobChain.update_context(params['_chain_id'], **params['with'].transform_keys(&:to_sym))
    end

    def self.leave(_params)
      exit!
    end

    def self.kill_self(_params)
      Process.kill(:KILL, Process.pid)
      sleep
    end

    def self.mutate(params)
      params.clear
    end

    # Runs until the spec lets it go, and then does what is said besides.
    def self.hold(params)
      Resque.redis.rpush('spec:holding', params['_step_index'])
      Resque.redis.blpop("spec:go:#{params['_step_index']}", timeout: 20)
      public_send(params['and_then'], params) if params['and_then']
    end
  end

  class OtherStep < Step
    def self.queue
      :others
    end
  end

  class FairStep < Step
    extend Resque::Plugins::FairShare

    fair_share_on :account_id

    def self.queue
      :fair
    end
  end

  class StepNotWanted < Step
    def self.before_perform_zz(*)
      raise Resque::Job::DontPerform
    end
  end

  class StepNotYielded < Step
    def self.around_perform_zz(*); end
  end

  # Its hooks note their calls; it vetoes the attempt that its arguments name.
  class StepWithHooks < Step
    def self.hook(name, params)
      Resque.redis.rpush('spec:hooks', Resque.encode([name, params]))
    end

    def self.before_enqueue_zz(params)
      hook('before', params)
      calls = Resque.redis.incr("spec:enqueued:#{params['_step_index']}")
      calls == params['veto'] ? false : nil
    end

    def self.after_enqueue_zz(params)
      hook('after', params)
      raise 'a bad hook' if params['bad_hook']
    end
  end
end
