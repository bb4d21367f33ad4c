# frozen_string_literal: true

require 'support/ruby_process'

# Plugins wrap Job.reserve and Job#perform by alias_method or prepend, and the Gemfile's order decides who comes first.
# In either order: one reserve each, one perform each, no plugin left out, no round without end (R116). Each example is
# a process of its own.
RSpec.describe 'Plugins that wrap Resque::Job' do
  include RubyProcess

  ours = "require 'resque-fair-share-rs'"
  orders = %i[before after]

  # Enqueues three jobs under a cap of 1. The first is reserved by hand, the others are a worker's.
  run = <<~RUBY
    require 'logger'
    require 'support/jobs'
    Resque.redis = ENV.fetch('REDIS_URL')
    Resque.logger = Logger.new(nil)
    Resque::FairShare.configure { |config| config.max_in_flight = 1 }
    def job_class = Jobs::Fair
    3.times { |n| Resque.enqueue(job_class, account_id: 'a', n: n) }
    job = Resque.reserve('fair')
    taken = Resque.redis.hlen('fair_share:fair:leases')
    again = Resque.reserve('fair')
    performed = job.perform
    puts "calls: \#{($calls || []).join(' ')}"
    puts "leases: \#{taken} \#{again.inspect} \#{performed} \#{Resque.redis.hlen('fair_share:fair:leases')}"
    [true, false].each do |forking|
      Resque::Worker.new('fair').tap { |worker| worker.fork_per_job = forking }.work(0)
    end
  RUBY

  define_method(:in_process) do |plugins, order, code|
    requires = order == :before ? [plugins, ours] : [ours, plugins]
    run_ruby([*%w[resque support/plugin_chains].map { |file| "require '#{file}'" }, *requires, code].join("\n"))
      .lines.map(&:chomp)
  end

  define_method(:run_with) { |plugins, order| in_process(plugins, order, run) }

  def chains(names)
    names.map { |name| "PluginChains.#{name}" }.join("\n")
  end

  {
    %i[loner] => 'loner loner',
    %i[concurrent_restriction] => 'concurrent_restriction concurrent_restriction',
    %i[loner concurrent_restriction] => 'concurrent_restriction loner concurrent_restriction loner',
    %i[perform_chain] => 'perform_chain',
    %i[perform_chain second_perform_chain] => 'second_perform_chain perform_chain',
    %i[perform_prepend] => 'perform_prepend',
    %i[perform_chain perform_prepend] => 'perform_prepend perform_chain',
    %i[loner perform_chain fail_chain] => 'loner loner perform_chain'
  }.each do |names, calls|
    orders.each do |order|
      it "#{names.join(' and ')}, loaded #{order} us: each is called once for each reserve and perform" do
        expect(run_with(chains(names), order)).to eq(["calls: #{calls}", 'leases: 1 nil true 0'])
        expect(done).to eq(%w[a:0 a:1 a:2])
        expect_drained
      end
    end
  end

  orders.each do |order|
    it "one that is prepended, pops by itself and puts the first job back, loaded #{order} us, leaks no slot" do
      output = run_with(chains(%i[uniqueness]), order)
      expect(output.last).to eq('leases: 1 nil true 0')
      expect(redis.get('resque:spec:pushed_back')).to eq('1')
      expect(done.sort).to eq(%w[a:0 a:1 a:2])
      expect_drained
    end

    it "resque-pause, loaded #{order} us, pauses the queue and lets it go on, without a leaked slot" do
      code = "require 'resque-pause'"
      output = in_process(code, order, <<~RUBY)
        require 'support/jobs'
        Resque.redis = ENV.fetch('REDIS_URL')
        Resque::FairShare.configure { |config| config.max_in_flight = 1 }
        class Jobs::Fair
          extend Resque::Plugins::Pause
          @queue = :fair
          @pause_check_interval = 0
        end
        2.times { |n| Resque.enqueue(Jobs::Fair, account_id: 'a', n: n) }
        ResquePauseHelper.pause('fair')
        p Resque.reserve('fair')
        ResquePauseHelper.unpause('fair')
        job = Resque.reserve('fair')
        ResquePauseHelper.pause('fair') # between reserve and perform: it LPUSHes the job into the raw list
        p job.perform, Resque.redis.hlen('fair_share:fair:leases'), Resque.size('fair')
        ResquePauseHelper.unpause('fair')
        Resque::Worker.new('fair').tap { |worker| worker.fork_per_job = false }.work(0)
      RUBY
      expect(output).to eq(%w[nil false 0 2])
      expect(done.sort).to eq(%w[a:0 a:1])
      expect_drained
    end

    it "resque-restriction, loaded #{order} us, moves what is over its limit to its queue and runs it later" do
      code = "require 'resque/restriction'"
      output = in_process(code, order, <<~RUBY)
        require 'support/jobs'
        Resque.redis = ENV.fetch('REDIS_URL')
        class Jobs::Restricted < Jobs::Fair
          extend Resque::Plugins::Restriction
          @queue = :fair
          restrict concurrent: 1
        end
        2.times { |n| Resque.enqueue(Jobs::Restricted, account_id: 'a', n: n) }
        first = Resque.reserve('fair')
        Jobs::Restricted.before_perform_restriction({}) # another is running
        p first.perform, Resque.redis.hlen('fair_share:fair:leases'), Resque.size('restriction_fair'), Resque.size('fair')
        Jobs::Restricted.after_perform_restriction({})
        %w[restriction_fair fair].each do |queue|
          Resque::Worker.new(queue).tap { |worker| worker.fork_per_job = false }.work(0)
        end
      RUBY
      expect(output).to eq(%w[false 0 1 1])
      expect(done.sort).to eq(%w[a:0 a:1])
      expect(our_keys).to eq([])
    end

    it "resque-pause and resque-restriction together, loaded #{order} us, are both asked" do
      code = "require 'resque-pause'\nrequire 'resque/restriction'"
      output = in_process(code, order, <<~RUBY)
        require 'support/jobs'
        Resque.redis = ENV.fetch('REDIS_URL')
        class Jobs::Restricted < Jobs::Fair
          def self.repush(*) = puts('repush?')
        end
        Resque.enqueue_to('fair', Jobs::Restricted, account_id: 'a', n: 0)
        Resque.enqueue_to('restriction_fair', Jobs::Restricted, account_id: 'a', n: 1)
        ResquePauseHelper.pause('fair')
        p Resque.reserve('fair')
        Resque.reserve('restriction_fair').perform
        ResquePauseHelper.unpause('fair')
        Resque.reserve('fair').perform
      RUBY
      expect(output).to eq(%w[nil repush?])
      expect(done).to eq(%w[a:1 a:0])
      expect(our_keys).to eq([])
    end
  end
end
