# frozen_string_literal: true

# Loads the Rust core, see sig/resque/fair_share/native.rbs.
begin
  require 'resque/fair_share/resque_fair_share'
rescue LoadError => e
  raise unless e.path.nil? || e.path.to_s.include?('resque_fair_share')

  raise LoadError, 'resque-fair-share-rs: its native extension is not there or does not fit this Ruby ' \
                   "(#{RUBY_VERSION}, #{RUBY_PLATFORM}): #{e.message}. Install the gem again with this Ruby " \
                   '(gem pristine resque-fair-share-rs); in a checkout run bin/setup.'
end
