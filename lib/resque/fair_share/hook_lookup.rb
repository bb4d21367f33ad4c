# frozen_string_literal: true

module Resque
  module FairShare
    # Which of a job class's methods may be hooks. Resque asks five times a job, and goes through all methods of the
    # class each time (about 120 that every class has) unless the class answers `hooks`.
    # @see Resque::Plugin.get_hook_names
    module HookNames
      # What names of hooks begin with: Resque's own, and those that other plugins add.
      LIKE_A_HOOK = /\A(?:before|after|around|on)_/

      # By Resque's own list of a class's methods, which it makes at its first look and keeps.
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
