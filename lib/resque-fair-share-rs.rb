# frozen_string_literal: true

require 'resque/fair_share'
require 'resque/job_chain'
