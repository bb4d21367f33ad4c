# frozen_string_literal: true

module Bench
  # Redis gets a core, the contenders another: a process that moves, or that shares a core, is measured wrong.
  module Cores
    module_function

    # @param redis [Integer] pid of redis-server
    def pin(redis)
      @redis, @contenders = allowed if allowed.size > 1 && system('taskset', '-V', out: File::NULL, err: File::NULL)
      system('taskset', '-cp', @redis.to_s, redis.to_s, out: File::NULL) if pinned?
    end

    # @return [Boolean]
    def pinned?
      !@redis.nil?
    end

    # @return [Array<String>] what a contender's command begins with
    def prefix
      pinned? ? ['taskset', '-c', @contenders.to_s] : []
    end

    # @return [Array<Integer>] the cores that this process may use
    def allowed
      list = File.read('/proc/self/status')[/^Cpus_allowed_list:\s*(\S+)/, 1].to_s
      list.split(',').flat_map { |part| Range.new(*part.split('-').values_at(0, -1).map(&:to_i)).to_a }
    rescue SystemCallError
      []
    end
  end
end
