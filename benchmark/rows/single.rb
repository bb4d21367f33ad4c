# frozen_string_literal: true

require_relative '../row'

# Rows of one process that does not fork.
module Bench
  Row.row 'enqueue' do
    count = settings.scaled(1000)
    timed('enqueue', 'enqueue, 100 tenants', count) { |one| one.call(:enqueue, count: count, tenants: 100) }
  end

  # Each reserves a tenth of a load, as far as the caps allow. More rounds where there is a goal.
  Row.row 'reserve' do
    [1, 10, 100, 1000].map do |tenants|
      count = within_caps(settings.jobs / 10, tenants)
      label = "reserve, #{thousands(settings.jobs)} jobs of #{thousands(tenants)} tenant#{'s' if tenants > 1}"
      timed("reserve #{tenants}", label, count, rounds: tenants < 100 ? settings.few(3) : settings.rounds) do |one|
        one.call(:load, count: settings.jobs, tenants: tenants)
        one.call(:reserve, count: count)
      end
    end
  end

  # With 99 % of the jobs in one tenant, its cap and the others' few jobs allow no more reserves.
  Row.row 'skewed' do
    { 80 => 10, 90 => 10, 99 => 100 }.map do |percent, part|
      count = within_caps(settings.jobs / part, 99)
      label = "reserve, 100 tenants, one of them with #{percent} % of the jobs"
      timed("skewed #{percent}", label, count, rounds: settings.few(3)) do |one|
        one.call(:load, count: settings.jobs, tenants: 100, skew: percent / 100.0)
        one.call(:reserve, count: count)
      end
    end
  end

  Row.row 'saturated' do
    count = within_caps(settings.jobs / 10, 20)
    timed('saturated', 'reserve, 80 of 100 tenants at their cap', count) do |one|
      one.call(:cap, tenants: 80)
      one.call(:load, count: settings.jobs, tenants: 100)
      one.call(:reserve, count: count)
    end
  end

  Row.row 'whole' do
    count = settings.scaled(1000)
    label = 'whole job: enqueue, reserve, perform, done'
    timed('whole', label, count) { |one| one.call(:whole, count: count, tenants: 100) }
  end

  # A job without partition, in a process that has the gem.
  Row.row 'plain_queue' do
    count = settings.scaled(1000)
    result = timed('plain_queue', 'a plain queue with the gem loaded: enqueue and reserve', count) do |one|
      one.call(:enqueue_plain_queue, count: count)
    end
    commands = result.details.transform_values { |costs| [costs[:commands]] }
    [result, Result.new('plain_queue commands', 'its commands in Redis, a job', 'commands', commands)]
  end

  Row.row 'empty' do
    looks = settings.scaled(1000)
    polls = settings.scaled(200)
    queues = 20
    [timed('empty', 'a look that finds nothing: all are capped (plain: empty)', looks) do |one|
      one.call(:cap, tenants: 100)
      one.call(:load, count: 1000, tenants: 100) unless one.name == :plain
      one.call(:empty, count: looks)
    end,
     timed("empty #{queues} queues", "a worker's look at #{queues} empty queues", polls) do |one|
       one.call(:poll, count: polls, queues: queues)
     end]
  end

  Row.row 'bulk' do
    count = settings.scaled(5000)
    measured = arena.rounds(settings.rounds, Row::ALL) { |one| one.call(:bulk, count: count, tenants: 100) }
    numbers = measured.transform_values { |all| all.map { |reading| count / reading.seconds } }
    Result.new('bulk', 'enqueue_all (others: a loop of enqueue)', 'jobs/s', numbers, costs(measured, count))
  end
end
