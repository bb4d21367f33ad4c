# frozen_string_literal: true

module Resque
  module FairShare
    # Finds the partition of a payload: by its class's `fair_share_on`, else by the configuration. What a user's rule
    # raises comes out as it is.
    # @private
    module Resolver
      GLOBAL_ID = %r{\Agid://[^/]*/}

      module_function

      # @param payload [String] as Resque encoded it
      # @return [String, nil, false] the partition's id; nil where the payload's class does not extend
      #   {Resque::Plugins::FairShare}; false where there is no such class in this process
      # @raise [ArgumentError] naming the class and what is missing
      def partition_of(payload)
        name, args = Native.job(payload)
        return Payload.check(payload) if name.nil? || name.empty?

        klass = constant(name)
        return false if klass.nil?
        return unless Plugins::FairShare === klass # rubocop:disable Style/CaseEquality -- see fair_class

        Payload.check(payload, klass)
        partition(klass, args)
      end

      # @param name [String, nil] a class's name as a payload has it
      # @return [Class, nil] nil unless it can be found and extends {Resque::Plugins::FairShare}
      def fair_class(name) # steep:ignore MethodBodyTypeMismatch
        klass = constant(name)
        # Asks the module: the class may have an is_a? of its own.
        klass if Plugins::FairShare === klass # rubocop:disable Style/CaseEquality
      end

      # @param name [String, nil]
      # @return [Object, nil] nil where there is no such constant
      def constant(name)
        return if name.nil? || name.empty?

        # Resque.constantize takes four times as long, and differs only for a name with dashes.
        name.include?('-') ? Resque.constantize(name) : Object.const_get(name)
      rescue *Guard::ERRORS
        # There is no such class, or its file can't be loaded: the job fails where it is performed.
        nil
      end

      # @param klass [Class] extends {Resque::Plugins::FairShare}
      # @param args [String, nil] raw JSON of the payload's arguments
      # @return [String] the partition's id
      # @raise [ArgumentError] naming the class and what is missing
      def partition(klass, args)
        rule = klass.fair_share_rule
        return from_block(klass, rule, args) if rule.is_a?(Proc)

        config = FairShare.configuration
        key = (rule || config.partition_key).to_s
        found = Native.partition(args, key, config.partition_index)
        return found if found.is_a?(String)

        raise ArgumentError, missing(klass, key, config.partition_index, found)
      end

      # The block gets the arguments as perform does: decoded, with String keys.
      def from_block(klass, block, json)
        args = Resque.decode(json)
        several = block.lambda? && block.arity != 1
        value = several ? block.call(*args) : block.call(args)
        return text(klass, value) unless nil.equal?(value)

        raise ArgumentError, "#{Guard.name(klass)}: the block of fair_share_on gave nil for the arguments " \
                             "#{Guard.show(args)}; it must give the partition (the Hashes have String keys, as in " \
                             'perform)'
      end

      # @raise [ArgumentError] for a value that names no partition: its text may differ for each job
      def text(klass, value)
        id = id_of(value)
        return Check.text("#{Guard.name(klass)}: the partition of the block of fair_share_on", id) if id

        raise ArgumentError, "#{Guard.name(klass)}: the block of fair_share_on gave #{Guard.show(value)} of class " \
                             "#{Guard.name(value.class)}; a partition is a String, a Symbol, a number, true, false " \
                             'or a record with a GlobalID'
      end

      # @return [String, nil] nil for what can't be one. A record is its GlobalID without the application's name.
      def id_of(value)
        case value
        when String, Symbol, Integer, Float, true, false then value.to_s
        else value.to_gid.to_s.sub(GLOBAL_ID, '') if value.respond_to?(:to_gid)
        end
      end

      # @return [String] of a class's rule, for a log
      def rule_of(klass)
        rule = klass.fair_share_rule
        case rule
        when nil then "config.partition_key #{FairShare.configuration.partition_key.inspect}"
        when Proc then "fair_share_on with the block at #{rule.source_location.to_a.join(':')}"
        else "fair_share_on #{rule.inspect}"
        end
      rescue *Guard::ERRORS => e
        "a fair_share_rule that raises #{e.class}"
      end

      def missing(klass, key, index, found)
        by_index = index ? ", nor is there an argument at partition_index #{index}" : ''
        what = case found
               when :hash then "no argument is a Hash, so there is no partition key #{key.inspect}#{by_index}"
               when :args then "the arguments are not an Array, so there is no partition key #{key.inspect}"
               else "no Hash argument has the partition key #{key.inspect} with a value other than nil#{by_index}"
               end
        "#{Guard.name(klass)}: #{what}; pass it, or tell with fair_share_on where it is"
      end
    end
  end
end
