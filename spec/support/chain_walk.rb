# frozen_string_literal: true

require_relative 'chain_model'
require_relative 'chain_observed'

# One chain to which random things happen, the model of it, and the jobs that are on their way.
class ChainWalk
  class Plain
    extend Resque::Plugins::JobChain

    @queue = :walk_plain

    class << self
      # Whether the job that is performed now fails.
      attr_accessor :failing
    end

    def self.perform(_params)
      raise 'told to fail' if Plain.failing
    end
  end

  class Fair < Plain
    extend Resque::Plugins::FairShare

    @queue = :walk_fair
    fair_share_on :tenant
  end

  ID = 'chain:of a walk'
  QUEUES = %w[walk_plain walk_fair].freeze
  # An operation listed several times is chosen more often.
  OPERATIONS = ((%i[perform] * 5) + (%i[perform_failing begin end_well end_badly] * 4) +
                (%i[repeat without_token] * 3) + (%i[start update pause resume retry_failed] * 2) +
                %i[cancel delete]).freeze
  VALUES = [[], {}, nil, 10**30, 1.5, 'Ünï 😀', [{ 'a' => [] }]].freeze
  FAILURE = RuntimeError.new('told to fail')

  attr_reader :model, :log, :completions

  def initialize(random, redis)
    @random = random
    @redis = redis
    @runs = {}
    @began = []
    @spent = []
    @completions = Hash.new(0)
    Resque::JobChain.reset_configuration!
    Resque::JobChain.configuration.on(:chain_completed) { completions[model.run] += 1 }
    declare
  end

  # @return [Array(Object, Object)] what it answered, and what the model says
  def step
    loop do
      operation = choose
      answer = send(operation) or next # nothing was there for it
      log << [operation, *answer]
      return answer
    end
  end

  def observe
    ChainObserved.read(@redis, ID, @declared.size) { |payload| identity_of(payload) }
  end

  private

  # A chain that has ended is started again more often than by chance.
  def choose
    return :start if model.run.zero?

    among = model.finished? && @random.rand < 0.3 ? %i[start retry_failed delete] : OPERATIONS
    among.sample(random: @random)
  end

  def declare
    strategies = %i[abort retry retry skip]
    @declared = Array.new(@random.rand(1..5)) { [strategies.sample(random: @random), @random.rand(1..3)] }
    @groups = []
    until (first = @groups.sum(&:size)) == @declared.size
      @groups << (first..[first + @random.rand(0..2), @declared.size - 1].min)
    end
    @model = ChainModel.new(@groups, @declared)
    @log = [[@groups, @declared]]
  end

  def build(context)
    Resque::JobChain.build(ID) do |chain|
      chain.context(**context.transform_keys(&:to_sym))
      @groups.each { |group| chain.parallel { |parallel| group.each { |index| add(parallel, index) } } }
    end
  end

  def add(group, index)
    strategy, max_attempts = @declared[index]
    group.step index.even? ? Plain : Fair, tenant: index, on_failure: strategy, max_attempts: max_attempts
  end

  def fields
    { "key#{@random.rand(4)}" => VALUES.sample(random: @random) }
  end

  def start
    context = fields
    answer = build(context).start!
    expected = model.start(context)
    @runs[@redis.hget("resque:job_chain:#{ID}:state", 'run')] = model.run if answer
    [answer, expected]
  end

  def update
    added = fields
    [Resque::JobChain.update_context(ID, **added.transform_keys(&:to_sym)), model.exists? && model.update(added)]
  rescue Resque::JobChain::MissingChain
    [false, model.exists?]
  end

  %i[pause resume cancel retry_failed delete].each do |verb|
    define_method(verb) { [Resque::JobChain.public_send(verb, ID), model.public_send(verb)] }
  end

  # The next job of either queue, and the model's.
  def take
    job = QUEUES.shuffle(random: @random).lazy.filter_map { |queue| Resque.reserve(queue) }.first or return
    identity = identity_of(job.payload)
    index = model.queued.index { |queued| queued.identity == identity } or raise "#{identity} is queued, but not due"
    expected = model.queued.delete_at(index)
    args = { 'tenant' => expected.step }.merge(expected.context, '_chain_id' => ID, '_step_index' => expected.step)
    raise "#{job.args.first} should be #{args}" unless job.args == [args]

    @spent << [job.payload['job_chain'][1], *identity]
    [job, expected]
  end

  def identity_of(payload)
    id, run, step, token = payload.fetch('job_chain')
    raise "a job of #{id}" unless id == ID

    [@runs.fetch(run), step, token]
  end

  def perform
    job, expected = take
    return unless job

    Plain.failing = false
    wanted = model.wanted?(expected)
    model.complete(*expected.identity) if wanted
    [job.perform ? true : false, wanted]
  end

  # As a child that fails, and a worker that says so again.
  def perform_failing
    job, expected = take
    return unless job

    Plain.failing = true
    wanted = model.wanted?(expected)
    model.fail(*expected.identity) if wanted
    [job.perform || false, wanted]
  rescue RuntimeError => e
    raise unless e.message == FAILURE.message

    job.fail(e)
    Resque::Job.new(job.queue, job.payload).fail(Resque::DirtyExit.new)
    [true, wanted]
  end

  # A job that is under way while other things happen.
  def begin
    job, = take
    return unless job

    @began << [*@spent.last, Resque::JobChain::Snapshot.of(ID, @spent.last[2])]
    [true, true]
  end

  def end_well
    finish(:after_step, :complete, began)
  end

  def end_badly
    finish(:on_failure, :fail, began, FAILURE)
  end

  # Delivered twice, or told of its end twice, or late.
  def repeat
    spent = @spent.sample(random: @random)
    if @random.rand < 0.5
      finish(:after_step, :complete, spent)
    else
      finish(:on_failure, :fail, spent, FAILURE)
    end
  end

  def without_token
    any = [nil, model.run, @random.rand(@declared.size), nil]
    @random.rand < 0.6 ? finish(:after_step, :complete, any) : finish(:on_failure, :fail, any, FAILURE)
  end

  def began
    @began.delete_at(@random.rand(@began.size)) unless @began.empty?
  end

  def finish(told, modelled, ended, *error)
    return unless ended

    run, number, step, token, snapshot = ended
    step_end = Resque::JobChain::StepEnd.new(ID, step, run: run, token: token, snapshot: snapshot)
    [step_end.public_send(told, *error), model.public_send(modelled, number, step, token)]
  end
end
