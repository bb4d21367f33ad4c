# frozen_string_literal: true

# Reads the lines of crate_requirements.rb, prints the Debian packages that hold these crates with these features.
# The argument is a file with all names that apt knows. Prints nothing when a crate is in none of them.
known = File.readlines(ARGV.fetch(0), chomp: true).to_h { |name| [name, true] }

packages = $stdin.readlines(chomp: true).flat_map do |line|
  name, version, *features = line.split
  # The name with the version if there is one: Debian has several versions of some crates.
  names = ["#{name}-#{version}", name].map { |crate| "librust-#{crate.tr('_', '-').downcase}" }
  find = ->(suffix) { names.map { |base| "#{base}#{suffix}-dev" }.find(&known) }

  crate = find.call('') || abort("Debian has no package of the crate #{name}")
  # A feature without a package of its own is part of the crate's.
  [crate, *features.filter_map { |feature| find.call("+#{feature.tr('_', '-').downcase}") }]
end
puts packages.uniq
