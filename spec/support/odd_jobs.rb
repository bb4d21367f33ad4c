# frozen_string_literal: true

# Job classes whose own code raises where the gem asks it. A spec says what it raises.
module Jobs
  class Odd < Fair
    class << self
      # @return [Proc, nil] called wherever the gem asks for the partition
      attr_accessor :rule

      # Gives the partition where it does not raise.
      def asked(args)
        Odd.rule ? Odd.rule.call(args) : args.first['account_id']
      end
    end

    fair_share_on { |args| Odd.asked(args) }
  end

  # Its rule is a method that raises.
  class OddRule < Fair
    def self.fair_share_rule
      Odd.rule&.call([])
      super
    end
  end

  # Says itself what it is.
  class OddKind < Fair
    def self.is_a?(*)
      Odd.rule&.call([])
      super
    end
  end
end
