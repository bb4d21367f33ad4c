# frozen_string_literal: true

module Resque
  module FairShare
    # Refuses wrong values where they are given, naming them.
    # @private
    module Check
      # Lua counts exactly up to this number.
      LARGEST_CAP = 2**53
      # A job's cost is divided by the weight.
      SMALLEST_WEIGHT = 1e-6
      # Of a page's limit and offset: Redis takes no more, nor their sum.
      LARGEST_PAGE = 2**53

      module_function

      def one_of(allowed, name, value)
        return value.to_sym if value.respond_to?(:to_sym) && allowed.include?(value.to_sym)

        raise ArgumentError, "#{name} is #{Guard.show(value)}; it must be one of #{allowed.map(&:inspect).join(', ')}"
      end

      def word(name, value)
        return value if (value.is_a?(Symbol) || value.is_a?(String)) && !value.empty?

        raise ArgumentError, "#{name} is #{Guard.show(value)}; it must be a Symbol or a String that is not empty"
      end

      def max_in_flight(value)
        return value if value.is_a?(Integer) && value.between?(0, LARGEST_CAP)

        raise ArgumentError, "max_in_flight is #{Guard.show(value)}; " \
                             "it must be an Integer from 0 (no cap) to #{LARGEST_CAP}"
      end

      def weight(value, where = nil)
        return value if value.is_a?(Numeric) && value.real? && value >= SMALLEST_WEIGHT && value.to_f.finite?

        raise ArgumentError, "#{['weight', where].compact.join(' ')} is #{Guard.show(value)}; " \
                             "it must be a number above 0 (#{SMALLEST_WEIGHT} at the least)"
      end

      def page(limit, offset)
        { limit: limit, offset: offset }.each do |name, value|
          next if value.is_a?(Integer) && value.between?(0, LARGEST_PAGE)

          raise ArgumentError, "#{name} is #{Guard.show(value)}; it must be an Integer from 0 to #{LARGEST_PAGE}"
        end
      end

      # A name of a queue, or a partition's id.
      # @return [String] in UTF-8
      def text(what, value)
        return value.encode(Encoding::UTF_8) if text?(value)

        raise ArgumentError, "#{what} is #{Guard.show(value)}, which is not valid UTF-8"
      end

      def text?(value)
        value.valid_encoding? && (value.ascii_only? || !value.encode(Encoding::UTF_8).nil?)
      rescue EncodingError
        false
      end
    end
  end
end
