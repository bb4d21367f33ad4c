# frozen_string_literal: true

module Resque
  module FairShare
    # Shortens Resque's search for a job class's hooks. It searches five times a job, each time through all methods of
    # the class (about 120 that every class has) unless the class answers `hooks`.
    # @see Resque::Plugin.get_hook_names
    # @private
    module HookLookup
      # How names of hooks begin: Resque's own, and those that other plugins add.
      LIKE_A_HOOK = /\A(?:before|after|around|on)_/

      # By the list of a class's methods that Resque makes at its first look, and keeps.
      NAMES = {}.compare_by_identity
      private_constant :NAMES

      # @return [Array<String>]
      def hooks
        return super if defined?(super)

        methods = Resque::Plugin.job_methods(self)
        NAMES[methods] ||= methods.grep(LIKE_A_HOOK)
      end
    end
  end
end
