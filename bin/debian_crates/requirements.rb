# frozen_string_literal: true

# Reads `cargo metadata --no-deps` and prints a line for each external crate that the workspace needs:
#   redis 0.32 script sentinel tls-rustls
require 'json'

lines = JSON.parse($stdin.read)['packages'].flat_map { |package| package['dependencies'] }.filter_map do |dependency|
  next unless dependency['source'] # a crate of the workspace itself

  features = dependency['features']
  features += ['default'] if dependency['uses_default_features']
  [dependency['name'], dependency['req'][/\d[\d.]*/], *features.sort].join(' ')
end
puts lines.uniq.sort
