# frozen_string_literal: true

# Reads the lines of requirements.rb and prints the Debian packages that hold these crates with these features.
# The argument is a file with all package names that apt knows. Fails when Debian has no package of a crate.
known = File.readlines(ARGV.fetch(0), chomp: true).to_h { |name| [name, true] }

packages = $stdin.readlines(chomp: true).flat_map do |line|
  name, version, *features = line.split
  # Prefer the name with the version: Debian has several versions of some crates.
  names = ["#{name}-#{version}", name].map { |crate| "librust-#{crate.tr('_', '-').downcase}" }
  find = ->(suffix) { names.map { |base| "#{base}#{suffix}-dev" }.find(&known) }

  crate = find.call('') || abort("Debian has no package of the crate #{name}")
  # A feature without a package of its own is part of the crate's package.
  [crate, *features.filter_map { |feature| find.call("+#{feature.tr('_', '-').downcase}") }]
end
puts packages.uniq
