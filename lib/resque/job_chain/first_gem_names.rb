# frozen_string_literal: true

module Resque
  module JobChain
    # @deprecated The name that resque-job-chain 0.1.0 had for {StepEnd}.
    Executor = StepEnd
  end
end
