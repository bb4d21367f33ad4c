# frozen_string_literal: true

require 'json'

module Resque
  module FairShare
    # Refuses a job that Resque would write and no worker could read: JSON has no NaN and no Infinity, and its readers
    # stop at a hundred levels.
    # @private
    module Payload
      # Of nested Arrays and Hashes in a payload. Resque writes the payload once more, a level deeper, into the worker's
      # record and into the failed list.
      MOST_LEVELS = 99
      # ActiveJob's class that holds a job, as the core knows it.
      WRAPPER = '::JobWrapper'
      NO_JSON = %w[NaN Infinity].freeze

      module_function

      # @param payload [String] as Resque encoded it
      # @param klass [Object, nil] the job's class, where it is known
      # @raise [ArgumentError] naming the class, and where in the arguments it is
      def check(payload, klass = nil)
        return unless suspect?(payload)

        decoded = parse(payload)
        wrong = decoded.is_a?(Hash) && fault(decoded['args'])
        klass ||= class_of(decoded) if wrong
        raise ArgumentError, "#{Guard.name(klass)}: #{wrong}, which no worker could read from JSON" if wrong && klass
      end

      # @return [Boolean] whether that is a job of a fair class, though no JSON
      def fair?(payload)
        !class_of(parse(payload)).nil?
      end

      # @return [Class, nil] nil unless it is a fair one
      def class_of(decoded)
        return unless decoded.is_a?(Hash)

        name = decoded['class'].to_s
        wrapped = decoded['args'].is_a?(Array) && name.end_with?(WRAPPER) && decoded['args'].first
        Resolver.fair_class(wrapped.is_a?(Hash) ? wrapped['job_class'].to_s : name)
      end

      # Cheap, and true of some that are right.
      def suspect?(payload)
        NO_JSON.any? { |word| payload.include?(word) } || payload.count('[{') > MOST_LEVELS
      end

      # @return [Object, nil] nil for what is no JSON by the most lenient reading either
      def parse(payload)
        JSON.parse(payload, allow_nan: true, max_nesting: false)
      rescue *Guard::ERRORS
        nil
      end

      # @return [String, nil] "args[1][\"a\"] is NaN"
      def fault(args)
        left = [[args, 'args', 2]] # The payload itself is the first level.
        while (value, path, level = left.pop)
          case value
          when Float then return "#{path} is #{value}" unless value.finite?
          when Array, Hash
            return "#{path[0, 60]}... has more than #{MOST_LEVELS} levels of Arrays and Hashes" if level > MOST_LEVELS

            inner(value).each { |key, item| left << [item, "#{path}[#{key.inspect}]", level + 1] }
          end
        end
      end

      def inner(value)
        pairs = value.is_a?(Hash) ? value.to_a : value.each_with_index.map { |item, index| [index, item] }
        pairs.select { |_, item| item.is_a?(Float) || item.is_a?(Array) || item.is_a?(Hash) }
      end
    end
  end
end
