# frozen_string_literal: true

RSpec.describe Resque::JobChain::Builder do
  def build(&)
    Resque::JobChain.build('c', &)
  end

  it 'takes steps with their arguments and options, in order' do
    chain = build do |builder|
      builder.step Jobs::Step, a: 1, b: [2]
      builder.step Jobs::OtherStep, on_failure: :retry, max_attempts: 5, queue: 'elsewhere'
    end
    expect(chain.steps.map(&:to_h)).to eq(
      [{ 'class' => 'Jobs::Step', 'args' => { 'a' => 1, 'b' => [2] }, 'on_failure' => nil, 'max_attempts' => nil,
         'queue' => 'steps' },
       { 'class' => 'Jobs::OtherStep', 'args' => {}, 'on_failure' => 'retry', 'max_attempts' => 5,
         'queue' => 'elsewhere' }]
    )
  end

  it 'merges contexts, the last one wins, and takes the last strategy' do
    chain = build do |builder|
      builder.step Jobs::Step
      builder.context a: 1, b: 1
      builder.context b: 2
      builder.on_failure :skip
      builder.on_failure :retry
    end
    expect([chain.initial_context, chain.default_strategy]).to eq([{ a: 1, b: 2 }, :retry])
  end

  it 'takes groups as runs of consecutive steps' do
    chain = build do |builder|
      builder.parallel { |group| group.step(Jobs::Step).step(Jobs::Step) }
      builder.step Jobs::Step
      builder.parallel { |group| group.step Jobs::Step }
      builder.parallel { |group| 3.times { group.step Jobs::Step } }
    end
    expect([chain.groups, chain.total_steps]).to eq([[[0, 1], [4, 6]], 7])
  end

  it 'refuses a chain without steps, and an empty group' do
    expect { build { |_| nil } }.to raise_error(ArgumentError, /"c" has no steps/)
    expect { build { |builder| builder.parallel { |_| nil } } }
      .to raise_error(ArgumentError, /group of chain "c" has no step/)
    expect { build(&:parallel) }.to raise_error(ArgumentError, /block/)
  end

  {
    'a step that is no class' => [['Jobs::Step'], {}, /step is "Jobs::Step"/],
    'a class without a name' => [[Class.new(Jobs::Step)], {}, /step is #<Class/],
    'a class without a queue' => [[Resque::JobChain], {}, /JobChain has no queue/],
    'another strategy' => [[Jobs::Step], { on_failure: :explode }, /:explode/],
    'a number of attempts below 1' => [[Jobs::Step], { max_attempts: 0 }, /max_attempts is 0/],
    'attempts that are no number' => [[Jobs::Step], { max_attempts: '3' }, /max_attempts is "3"/]
  }.each do |what, (args, options, message)|
    it "refuses #{what}, naming it" do
      expect { build { |builder| builder.step(*args, **options) } }.to raise_error(ArgumentError, message)
    end
  end

  it 'refuses another strategy of the chain, and takes a String' do
    expect { build { |builder| builder.step(Jobs::Step) && builder.on_failure(:explode) } }
      .to raise_error(ArgumentError, /:explode/)
    expect(build { |builder| builder.step(Jobs::Step) && builder.on_failure('skip') }.default_strategy).to eq(:skip)
  end

  it 'writes nothing' do
    build { |builder| builder.step Jobs::Step }
    expect([chain_keys, queued]).to eq([[], []])
  end
end
