# frozen_string_literal: true

# A chain's keys in Redis at one moment, read in one round trip, because specs do it thousands of times.
class ChainObserved < Struct.new(:state, :context, :times_to_live, :indexes, :queued)
  INDEXES = %w[running paused cancelled completed failed expiring].freeze

  # @param steps [Integer] so many partitions may hold jobs
  # @yieldparam payload [Hash] of a queued job
  # @yieldreturn [Object] put into `queued` for it
  def self.read(redis, id, steps)
    state, context, *times, scores, lists = ask(redis, id, steps)
    queued = lists.flatten.map { |element| yield Resque.decode(element.sub(/\A\h{11}/, '')) }
    new(state, context.transform_values { |text| JSON.parse(text) }, times, scores, queued)
  end

  def self.ask(redis, id, steps)
    keys = %w[state steps context].map { |word| "resque:job_chain:#{id}:#{word}" }
    lists = ['resque:queue:walk_plain', *(0...steps).map { |step| "resque:fair_share:walk_fair:sub:#{step}" }]
    questions = [[:hgetall, keys.first], [:hgetall, keys.last], *keys.map { |key| [:pttl, key] },
                 *INDEXES.map { |word| [:zscore, "resque:job_chain:#{word}", id] },
                 *lists.map { |key| [:lrange, key, 0, -1] }]
    sort(redis.pipelined { |pipe| questions.each { |question| pipe.public_send(*question) } })
  end

  def self.sort(replies)
    scores = replies.slice!(5, INDEXES.size)
    [*replies.shift(5), INDEXES.zip(scores).select(&:last).map(&:first), replies]
  end
end
