# frozen_string_literal: true

module Resque
  module FairShare
    # The one guard around code of users: what it raises is logged, and must not end a worker or lose a job. Called
    # under it, or with a rescue of its {ERRORS}:
    #
    # - job classes: the lookup of their constant (autoload, const_missing) in {Resolver}; `fair_share_rule` and the
    #   block of fair_share_on in {Routes}, and in {Backlog} for a dequeue
    # - `config.weight` in {Routes}
    # - the StatsD clients, in {Gauges} and JobChain::Observable
    # - the loggers, in {log}
    # - observers of chains, and hooks after the enqueue of a step, in JobChain::Observable
    # - the failure backend, in {FailedList}
    # - `inspect`, `to_s` and `message` of their objects, in {show}, {name} and {message_of}
    #
    # What raises to its caller, because it is called before anything is written: rules and weights at an enqueue,
    # hooks, and `retry_delay`, which is called when a chain is built.
    #
    # An interrupt (Timeout, Thread#kill, a signal) passes. A Timeout that was given a class of StandardError can't be
    # told from an error of the code that it interrupts.
    # @private
    module Guard
      # A deep recursion is the code's own error, though Ruby's class for it is no StandardError.
      ERRORS = [StandardError, ScriptError, SystemStackError].freeze
      # Seconds.
      QUIET_FOR = 60
      # Notes of what was said, at the most: names of classes may be anybody's.
      MOST_NOTES = 1000

      @said = {}

      module_function

      # @param who [String] named in the log
      # @param tag [String] the log's line begins with it
      # @return [Object, nil] of the block; nil where it raised
      def call(who, tag = 'resque-fair-share:', logger = FairShare.logger)
        yield
      rescue *ERRORS => e
        log(:error, "#{tag} #{who} raised #{describe(e)}", logger)
      end

      # A logger without that level gets an error.
      # @param level [Symbol]
      # @param logger [Object]
      def log(level, message, logger = FairShare.logger)
        logger.public_send(logger.respond_to?(level) ? level : :error, message)
        nil
      rescue *ERRORS
        nil # Its device is gone, say; there is nobody else to tell.
      end

      # Warns about what would be said for each of many jobs.
      # @param about [Array] what the message is about
      # @param every [Numeric] seconds in which it is said once
      # @yieldreturn [String] the message
      def warn_once(about, every: QUIET_FOR)
        now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        last = @said[about]
        return if last && now - last < every

        @said.clear if @said.size >= MOST_NOTES
        @said[about] = now
        log(:warn, "resque-fair-share: #{yield}")
      end

      # Forgets what was said.
      def reset
        @said.clear
      end

      # @return [String] class and message, in one line: Ruby adds the line of code to some
      def describe(error)
        "#{error.class}: #{message_of(error).lines.first.to_s.chomp}"
      end

      # @return [String] an error's message: short, valid UTF-8
      def message_of(error)
        text(error.message.to_s)[0, 10_000].to_s
      rescue *ERRORS => e
        "its message raised #{e.class}"
      end

      # @return [String] a value as it is shown in an error's message: short, valid UTF-8
      def show(value, most = 200)
        text(value.inspect)[0, most].to_s
      rescue *ERRORS => e
        "an object whose inspect raised #{e.class}"
      end

      # @return [String] a class, by its own `to_s` where that can be had
      def name(klass)
        text(klass.to_s)
      rescue *ERRORS
        show(klass)
      end

      # @return [String] valid UTF-8
      def text(string)
        string.dup.force_encoding(Encoding::UTF_8).scrub
      end
    end
  end
end
