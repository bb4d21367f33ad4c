# frozen_string_literal: true

require_relative 'contender'
require_relative 'server'

module Bench
  # Redis and the contenders. A contender starts when it is first used.
  class Arena
    # @return [Server]
    attr_reader :server

    def initialize(url)
      @server = Server.new(url)
      @contenders = {}
    end

    # @param name [Symbol] :plain, :old, :old_chain or :ours
    # @return [Contender]
    def [](name)
      @contenders[name] ||= Contender.new(name, server)
    end

    # Rounds in alternating order. Redis is empty before each turn.
    # @param names [Array<Symbol>]
    # @yieldparam contender [Contender]
    # @return [Hash{Symbol => Array}] the block's results, by contender
    def rounds(number, names)
      names.each { |name| self[name] }
      gathered = names.to_h { |name| [name, []] }
      number.times do |round|
        (round.odd? ? names.reverse : names).each do |name|
          server.clear
          gathered[name] << yield(self[name])
        end
      end
      gathered
    end

    def stop
      @contenders.each_value(&:stop)
    end
  end
end
