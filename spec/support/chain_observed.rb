# frozen_string_literal: true

# What there is of a chain in Redis at one moment, read in one round trip, for it is done thousands of times.
class ChainObserved < Struct.new(:state, :context, :times_to_live, :indexes, :queued) # rubocop:disable Style/StructInheritance
  INDEXES = %w[running paused cancelled completed failed expiring].freeze

  # @param steps [Integer] so many partitions may hold jobs
  # @yieldparam payload [Hash] of a queued job
  # @yieldreturn [Object] what stands for it
  def self.read(redis, id, steps)
    state, context, *times, scores, lists = ask(redis, id, steps)
    queued = lists.flatten.map { |element| yield Resque.decode(element.sub(/\A\h{11}/, '')) }
    new(state, context.transform_values { |text| JSON.parse(text) }, times, scores, queued)
  end

  def self.ask(redis, id, steps)
    keys = %w[state steps context].map { |word| "resque:job_chain:#{id}:#{word}" }
    lists = ['resque:queue:walk_plain', *(0...steps).map { |step| "resque:fair_share:walk_fair:sub:#{step}" }]
    replies = redis.pipelined do |pipe|
      [keys.first, keys.last].each { |key| pipe.hgetall(key) }
      keys.each { |key| pipe.pttl(key) }
      INDEXES.each { |word| pipe.zscore("resque:job_chain:#{word}", id) }
      lists.each { |key| pipe.lrange(key, 0, -1) }
    end
    scores = replies.slice!(5, INDEXES.size)
    [*replies.shift(5), INDEXES.zip(scores).filter_map { |word, score| word if score }, replies]
  end
end
