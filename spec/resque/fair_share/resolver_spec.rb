# frozen_string_literal: true

RSpec.describe Resque::FairShare::Resolver do
  def partition_of(**item)
    described_class.partition_of(Resque.encode(item))
  end

  it 'finds the partition of a payload whose class extends the plugin' do
    expect(partition_of(class: 'Jobs::Fair', args: [{ account_id: 7 }])).to eq('7')
  end

  it 'finds none for another class, one that is not there, and text that is no job' do
    expect(partition_of(class: 'Jobs::Plain', args: [{ account_id: 7 }])).to be_nil
    expect(partition_of(class: 'Nobody::Knows', args: [{ account_id: 7 }])).to be(false)
    expect(partition_of(args: [])).to be_nil
    expect(['null', '[]', '{', ''].map { |text| described_class.partition_of(text) }).to all(be_nil)
  end

  it 'looks at the class that ActiveJob wraps' do
    wrapped = { job_class: 'Jobs::Fair', arguments: [{ account_id: 7 }] }
    expect(partition_of(class: 'ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper', args: [wrapped])).to eq('7')
  end

  it 'names the class and the key where the partition is missing' do
    expect { partition_of(class: 'Jobs::Fair', args: [{ n: 1 }]) }.to raise_error(ArgumentError, /Jobs::Fair.*account_id/)
    expect { partition_of(class: 'Jobs::Fair') }.to raise_error(ArgumentError, /Jobs::Fair.*not an Array/)
  end
end
