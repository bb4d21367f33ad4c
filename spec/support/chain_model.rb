# frozen_string_literal: true

# A chain by the design, without Redis: the engine is compared with it after each operation.
class ChainModel
  Step = Struct.new(:strategy, :max_attempts, :status, :token, :attempts)
  # A job: of which start of the chain, step and token, and the context with which it was made.
  Job = Struct.new(:run, :step, :token, :context) do
    def identity
      [run, step, token]
    end
  end

  attr_reader :status, :run, :steps, :context, :queued, :completions, :first

  # @param groups [Array<Range>] of the steps' indexes, all of them
  def initialize(groups, declared)
    @groups = groups
    @declared = declared
    @run = 0
    @queued = []
    @completions = Hash.new(0)
  end

  def exists?
    !status.nil?
  end

  def finished?
    %w[completed failed cancelled].include?(status)
  end

  def start(context)
    return false if exists?

    @run += 1
    @status = 'running'
    @context = context
    @steps = @declared.map { |strategy, max_attempts| Step.new(strategy, max_attempts, nil, 1, 0) }
    enter(@groups.first)
    true
  end

  def update(fields)
    @context = context.merge(fields)
  end

  # Whether a worker would perform it.
  def wanted?(job)
    exists? && job.run == run && status != 'cancelled' && current?(job.step, job.token)
  end

  # @param token [Integer, nil] nil: the job has lost it
  # @return [String] what {StepEnd#after_step} answers
  def complete(run, step, token)
    return 'stale' unless exists? && run == @run

    if ends?(step, token) then end_well(step, 'completed')
    elsif redone?(step, token) then redo_well(step)
    else 'stale'
    end
  end

  # @return [String] what {StepEnd#on_failure} answers
  def fail(run, step, token)
    return 'stale' unless exists? && run == @run && ends?(step, token)

    steps[step].attempts += 1
    case steps[step].strategy
    when :skip then end_well(step, 'skipped') && 'skipped'
    when :retry then retry_step(step)
    else fail_step(step, 'aborted')
    end
  end

  def pause
    status == 'running' && (@status = 'paused') && true
  end

  def cancel
    %w[running paused].include?(status) && (@status = 'cancelled') && true
  end

  def resume
    return false unless status == 'paused'

    @status = 'running'
    due = members.select { |step| steps[step].status == 'due' }
    due.each { |step| start_again(step) }
    enter(@groups[@groups.index(members) + 1]) if members.all? { |step| ended_well?(step) }
    true
  end

  def retry_failed
    return false unless status == 'failed'

    @status = 'running'
    members.reject { |step| ended_well?(step) || steps[step].status == 'running' }.each do |step|
      steps[step].attempts = 0
      start_again(step)
    end
    true
  end

  def delete
    return false unless finished?

    @status = @steps = @context = nil
    true
  end

  # @return [Integer] members of the group that runs which have not ended well
  def left
    members.count { |step| !ended_well?(step) }
  end

  private

  def members = @groups.find { |group| group.include?(first) }

  def enter(group)
    @first = group.first
    group.each { |step| queue(step) }
  end

  def start_again(step)
    steps[step].token += 1
    queue(step)
  end

  def queue(step)
    steps[step].status = 'running'
    queued << Job.new(run, step, steps[step].token, context)
  end

  def ended_well?(step)
    %w[completed skipped].include?(steps[step].status)
  end

  def current?(step, token)
    (token.nil? || token == steps[step].token) && steps[step].status == 'running'
  end

  def ends?(step, token)
    current?(step, token) && %w[running paused failed].include?(status)
  end

  def redone?(step, token)
    token.nil? && status == 'failed' && steps[step].status == 'failed'
  end

  def end_well(step, outcome)
    steps[step].status = outcome
    return 'counted' if left.positive?

    following = @groups[@groups.index(members) + 1]
    following ? go_on(following) : complete_chain
  end

  def go_on(following)
    return 'counted' if status != 'running'

    enter(following)
    'advanced'
  end

  def complete_chain
    return 'counted' if status == 'failed'

    @status = 'completed'
    completions[run] += 1
    'completed'
  end

  # By hand: when nothing else keeps the chain from it, it goes on.
  def redo_well(step)
    steps[step].status = 'completed'
    return 'counted' unless members.all? { |member| ended_well?(member) || steps[member].status == 'running' }

    @status = 'running'
    result = members.all? { |member| ended_well?(member) } ? end_well(step, 'completed') : 'counted'
    result == 'completed' ? 'completed' : 'resumed'
  end

  def retry_step(step)
    return fail_step(step, 'exhausted') if steps[step].attempts >= steps[step].max_attempts

    case status
    when 'running' then start_again(step)
    when 'paused' then steps[step].status = 'due'
    else
      steps[step].status = 'failed'
      return 'counted'
    end
    "retrying:#{steps[step].attempts}"
  end

  def fail_step(step, word)
    steps[step].status = 'failed'
    return 'counted' if status == 'failed'

    @status = 'failed'
    word
  end
end
