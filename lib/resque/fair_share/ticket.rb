# frozen_string_literal: true

module Resque
  module FairShare
    # The main list has one for each job that waits in a partition. It decodes to nil, so a worker without this gem sees
    # an empty queue rather than a broken job.
    # @private
    TICKET = 'null'
  end
end
