# frozen_string_literal: true

# Where Resque is patched: one file a patched class. What Resque's plugins alias is left alone where that is possible.
require_relative 'patches/queue_access'
require_relative 'patches/workers'
require_relative 'patches/job'
require_relative 'patches/job_reserve'
require_relative 'patches/sample_queues'
