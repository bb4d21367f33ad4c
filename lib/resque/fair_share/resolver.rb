# frozen_string_literal: true

module Resque
  module FairShare
    # Finds the partition of a payload: by its class's `fair_share_on`, else by the configuration.
    # @private
    module Resolver
      module_function

      # @param payload [String] as Resque encoded it
      # @return [String, nil] the partition's id; nil where the payload's class does not extend
      #   {Resque::Plugins::FairShare}
      # @raise [ArgumentError] naming the class and what is missing
      def partition_of(payload)
        name, args = Native.job(payload)
        klass = fair_class(name)
        klass && partition(klass, args)
      end

      # @param name [String, nil] a class's name as a payload has it
      # @return [Class, nil] nil unless it can be found and extends {Resque::Plugins::FairShare}
      def fair_class(name) # steep:ignore MethodBodyTypeMismatch
        return if name.nil? || name.empty?

        # Resque.constantize takes four times as long, and differs only for a name with dashes.
        klass = name.include?('-') ? Resque.constantize(name) : Object.const_get(name)
        klass if klass.is_a?(Plugins::FairShare)
      rescue StandardError, ScriptError
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
        return text(klass, value) unless value.nil?

        raise ArgumentError, "#{klass}: the block of fair_share_on gave nil for the arguments #{args.inspect}; " \
                             'it must give the partition (the Hashes have String keys, as in perform)'
      end

      def text(klass, value)
        id = value.to_s.encode(Encoding::UTF_8)
        return id if id.valid_encoding?

        raise ArgumentError, "#{klass}: the block of fair_share_on gave #{value.inspect}, which is not valid UTF-8"
      rescue EncodingError
        raise ArgumentError, "#{klass}: the block of fair_share_on gave #{value.inspect}, " \
                             "which can't be written in UTF-8"
      end

      def missing(klass, key, index, found)
        by_index = index ? ", nor is there an argument at partition_index #{index}" : ''
        what = case found
               when :hash then "no argument is a Hash, so there is no partition key #{key.inspect}#{by_index}"
               when :args then "the arguments are not an Array, so there is no partition key #{key.inspect}"
               else "no Hash argument has the partition key #{key.inspect} with a value other than nil#{by_index}"
               end
        "#{klass}: #{what}; pass it, or tell with fair_share_on where it is"
      end
    end
  end
end
