# frozen_string_literal: true

# How plugins wrap Resque's methods, in a few lines each; each notes its calls. These do not install with a Resque that
# we support (2.6 and later): resque-loner 1.3 wants Resque ~> 1.0, resque-concurrent-restriction 0.6 wants Resque ~>
# 1.25 and Active Support ~> 3.2, and RubyGems has no resque-uniqueness.
module PluginChains
  module_function

  def note(name)
    ($calls ||= []) << name # rubocop:disable Style/GlobalVars -- of a process of its own
  end

  # resque-loner 1.3: alias_method.
  def loner
    class << Resque::Job
      alias_method :reserve_without_loner, :reserve
      def reserve(queue)
        PluginChains.note(:loner)
        reserve_without_loner(queue)
      end
    end
  end

  # resque-concurrent-restriction 0.6: alias_method from an `extended` hook, on the worker too.
  def concurrent_restriction # rubocop:disable Metrics/MethodLength
    hook = Module.new do
      def self.extended(receiver)
        class << receiver
          alias_method :reserve_without_restriction, :reserve
          def reserve(queue)
            PluginChains.note(:concurrent_restriction)
            reserve_without_restriction(queue)
          end
        end
      end
    end
    Resque::Job.extend(hook)
    Resque::Worker.class_eval do
      alias_method :done_working_without_restriction, :done_working
      def done_working
        done_working_without_restriction
      end
    end
  end

  # resque-uniqueness: prepended, pops on its own, and never calls super. The first job that it sees is locked, so it
  # goes back.
  def uniqueness
    Resque::Job.singleton_class.prepend(Module.new do
      def reserve(queue)
        PluginChains.note(:uniqueness)
        payload = Resque.pop(queue) or return
        return new(queue, payload) unless Resque.redis.setnx('spec:unlocked', 1)

        Resque.push(queue, payload.slice('class', 'args'))
        Resque.redis.setnx('spec:pushed_back', 1)
        reserve(queue)
      end
    end)
  end

  # New Relic's chain mode, Airbrake before 11.0.3.
  def perform_chain
    Resque::Job.class_eval do
      alias_method :perform_without_tracing, :perform
      def perform
        PluginChains.note(:perform_chain)
        perform_without_tracing
      end
    end
  end

  def second_perform_chain
    Resque::Job.class_eval do
      alias_method :perform_without_second, :perform
      def perform
        PluginChains.note(:second_perform_chain)
        perform_without_second
      end
    end
  end

  # Datadog, OpenTelemetry, Sentry.
  def perform_prepend
    Resque::Job.prepend(Module.new do
      def perform
        PluginChains.note(:perform_prepend)
        super
      end
    end)
  end

  def fail_chain
    Resque::Job.class_eval do
      alias_method :fail_without_report, :fail
      def fail(exception)
        PluginChains.note(:fail_chain)
        fail_without_report(exception)
      end
    end
  end
end
