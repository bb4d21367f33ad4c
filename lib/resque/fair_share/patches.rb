# frozen_string_literal: true

module Resque
  module FairShare
    # The patches of Resque: one file a patched class.
    # @private
    module Patches
      # Redefines methods instead of prepending: plugins that use alias_method would capture a prepended method as the
      # original and recurse, or skip earlier plugins.
      def self.replace(owner, patch)
        patch.instance_methods(false).each do |name|
          owner.send(:alias_method, name, name) if owner.method_defined?(name, false) # or Ruby warns
          owner.define_method(name, patch.instance_method(name))
        end
      end

      # @return [UnboundMethod] a class's own method, below all that was prepended to it
      def self.own(owner, name)
        method = owner.instance_method(name)
        method = method.super_method until method.owner == owner
        method
      end

      # @return [Boolean] whether it is Resque's own, of that file in its lib
      def self.stock?(method, file)
        method.source_location.to_a.first.to_s.end_with?("/lib/#{file}")
      end

      # Records whether `super` is still Resque's own method. Only then may the core replace the command.
      # @private
      class Stock
        # @param file [String] Resque's file that has them, in its lib
        def initialize(owner, patch, file, names)
          @owner = owner
          @patch = patch
          @methods = names.to_h do |name|
            method = Patches.own(owner, name)
            [name, (method if Patches.stock?(method, file))]
          end
        end

        # @return [Boolean] whether the patch's `super` is Resque's own method
        def below?(name)
          method = @owner.instance_method(name)
          method = method.super_method until method.owner == @patch
          method.super_method == @methods.fetch(name)
        end
      end
    end
  end
end

require_relative 'patches/queue_access'
require_relative 'patches/workers'
require_relative 'patches/worker'
require_relative 'patches/job'
require_relative 'patches/job_reserve'
require_relative 'patches/sample_queues'
