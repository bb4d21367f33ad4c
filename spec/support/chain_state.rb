# frozen_string_literal: true

# Helpers of specs that start chains or read their state.
module ChainState
  # All keys of all chains.
  def chain_keys
    redis.scan_each(match: 'resque:job_chain:*').to_a.sort
  end

  # Builds and starts one whose steps are Jobs::Step.
  # @param steps [Array<Hash>] each one's arguments and options
  def start_chain(id = 'c', *steps, job: Jobs::Step, **context)
    Resque::JobChain.build(id) do |chain|
      steps.each { |options| chain.step(job, **options) }
      chain.context(**context)
      yield chain if block_given?
    end.start!
  end

  # Real workers perform the queued jobs, and the jobs that follow from them.
  def work_off(*queues, **options)
    queues = %w[steps others fair] if queues.empty?
    WorkerProcess.drain(*queues, fork_per_job: false, **options)
  end

  def status(id = 'c')
    Resque::JobChain.status(id)
  end

  # @return [Array<String, nil>]
  def step_statuses(id = 'c')
    Array.new(status(id)['total_steps'].to_i) { |index| status(id)["step_status:#{index}"] }
  end

  # Keeps all events, of any process, in order.
  def record_events
    Resque::JobChain.configure do |config|
      Resque::JobChain::Configuration::EVENTS.each do |event|
        config.on(event) { |*args| Resque.redis.rpush('spec:events', JSON.generate([event, *args])) }
      end
    end
  end

  # @return [Array<Array>] name and arguments of each event since the last call
  def events
    redis.lpop('resque:spec:events', 1000).to_a.map { |text| JSON.parse(text) }
  end

  # @return [Array<Hash>] what Jobs::Step.tell got
  def told
    redis.lrange('resque:spec:params', 0, -1).map { |text| JSON.parse(text) }
  end

  # @return [Array<Hash>]
  def queued(queue = 'steps')
    redis.lrange("resque:queue:#{queue}", 0, -1).map { |text| JSON.parse(text) }
  end

  # Takes the next job of a queue, to be performed here.
  def take(queue = 'steps')
    Resque.reserve(queue)
  end

  # @return [Array<String>] the steps that hold now, or have held
  def holding_steps
    redis.lrange('resque:spec:holding', 0, -1)
  end

  def let_step_go(index)
    redis.rpush("resque:spec:go:#{index}", 'go')
  end

  # @return [Array<String>] messages in the failed list
  def failures
    redis.lrange('resque:failed', 0, -1).map { |text| JSON.parse(text)['error'] }
  end
end
