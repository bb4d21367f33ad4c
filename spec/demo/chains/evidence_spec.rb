# frozen_string_literal: true

require_relative '../../../demo/chains/crash'
require_relative '../../../demo/chains/evidence'
require_relative '../../../demo/chains/journal'

RSpec.describe Demo::Chains::Evidence do
  # @param events [Array<Array>] each a kind, a step and a time, of order-1, and of one process for each step
  def evidence(*events, status: 'completed', crashes: [])
    journal = Demo::Chains::Journal.new
    events.each { |kind, step, time| journal.note(Demo::Chains::Event.new(kind, 'order-1', step, step, 7, time)) }
    described_class.new({ 'order-1' => { 'status' => status, 'current_step' => '4' } }, journal, crashes)
  end

  # A whole chain; steps 2 and 3 run at once.
  def whole
    [['start', 0, 1], ['end', 0, 2], ['start', 1, 2], ['end', 1, 3], ['start', 2, 3], ['start', 3, 3], ['end', 3, 4],
     ['end', 2, 5], ['start', 4, 5], ['end', 4, 6]]
  end

  it 'finds nothing where all went well' do
    found = evidence(*whole)
    expect(found.faults).to eq([])
    expect([found.count('completed'), found.performed, found.handovers, found.repeated]).to eq([1, 5, 4, []])
  end

  it 'finds a step that started before one of its predecessors had ended' do
    expect(evidence(*whole.map { |kind, step, time| [kind, step, step == 4 ? time - 0.5 : time] }).faults)
      .to eq(["steps started before their predecessor's end: 1 (order-1 close)"])
  end

  it 'finds a step that has not ended, and those that started all the same' do
    expect(evidence(*(whole - [['end', 0, 2]])).faults)
      .to eq(['steps without an end: 1 (order-1 fetch)',
              "steps started before their predecessor's end: 1 (order-1 charge)"])
  end

  it 'finds a step that has ended twice' do
    expect(evidence(*whole, ['start', 4, 7], ['end', 4, 8]).faults)
      .to eq(['steps with more than one end: 1 (order-1 close)',
              'steps attempted again, though no crash hit them: 1 (order-1 close)'])
  end

  it 'finds a chain that is not complete, and a crash that hit nothing' do
    expect(evidence(*whole, status: 'failed', crashes: [Demo::Chains::Crash.new(:child, 1)]).faults)
      .to eq(['chains not complete: 1 (order-1, failed at close)',
              "crashes that found no step to hit: 1 (kill -9 of a worker's child)"])
  end
end
