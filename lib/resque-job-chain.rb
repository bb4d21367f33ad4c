# frozen_string_literal: true

require 'resque/job_chain'
