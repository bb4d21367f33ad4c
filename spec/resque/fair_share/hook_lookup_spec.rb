# frozen_string_literal: true

# Resque's own look for hooks, at classes that name theirs and at those that don't.
RSpec.describe Resque::FairShare::HookLookup do
  def found(job_class)
    %i[before_enqueue_hooks after_enqueue_hooks before_hooks around_hooks after_hooks failure_hooks before_dequeue_hooks
       after_dequeue_hooks].to_h { |kind| [kind, Resque::Plugin.public_send(kind, job_class)] }
  end

  # Resque looks through all methods then.
  def found_without(job_class)
    job_class.singleton_class.define_method(:hooks) { nil }
    found(job_class)
  end

  # @return [Module] a plugin with a hook of each kind
  let(:plugin) do
    Module.new do
      %w[before_enqueue after_enqueue before_perform around_perform after_perform on_failure before_dequeue
         after_dequeue].each { |kind| define_method("#{kind}_spec") { |*| true } }
      def on_holiday_spec; end
      def beforehand_spec; end
    end
  end

  [Resque::Plugins::FairShare, Resque::Plugins::JobChain].each do |ours|
    it "of #{ours}: Resque finds the hooks that it finds without it, those of superclasses and plugins, too" do
      base = Class.new { extend ours }
      base.extend(plugin)
      derived = Class.new(base) { def self.after_perform_of_derived(*) = nil }
      classes = [base, derived]
      with = classes.map { |job_class| found(job_class) }
      expect(with).to eq(classes.map { |job_class| found_without(job_class) })
      expect(with.flat_map(&:values)).to all(include(/_spec\z/))
      expect(with.last[:after_hooks]).to include('after_perform_of_derived')
    end
  end

  it 'has what another plugin looks for' do
    job_class = Class.new { extend Resque::Plugins::FairShare }
    job_class.extend(plugin)
    expect(Resque::Plugin.get_hook_names(job_class, 'on_holiday')).to eq(%w[on_holiday_spec])
  end

  it 'leaves the class, or its superclass, its own word' do
    own = Class.new do
      extend Resque::Plugins::FairShare

      def self.hooks = %w[before_perform_own]
    end
    base = Class.new { def self.hooks = %w[before_perform_own] }
    derived = Class.new(base) { extend Resque::Plugins::FairShare }
    expect([own, derived].map { |job_class| Resque::Plugin.before_hooks(job_class) }).to all(eq(%w[before_perform_own]))
  end

  it 'looks again where Resque does' do
    job_class = Class.new { extend Resque::Plugins::FairShare }
    before = Resque::Plugin.before_hooks(job_class)
    job_class.extend(plugin)
    expect(Resque::Plugin.before_hooks(job_class)).to eq(before)

    Resque::Plugin.instance_variable_get(:@job_methods).delete(job_class)
    expect(Resque::Plugin.before_hooks(job_class)).to eq([*before, 'before_perform_spec'].sort)
  end

  it 'is a short list' do
    job_class = Class.new { extend Resque::Plugins::FairShare }
    expect(job_class.hooks.size).to be < job_class.methods.size / 10
  end
end
