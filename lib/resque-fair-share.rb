# frozen_string_literal: true

require 'resque/fair_share'
