# frozen_string_literal: true

# Before a worker forks, it has performed a job that does nothing, so that its children need not find out what Ruby
# keeps with the code.
RSpec.describe 'The warm-up of a worker that forks' do
  let(:worker) { Resque::Worker.new('fair').tap { |worker| worker.fork_per_job = true } }

  # => how often the job was performed
  def register(worker)
    performed = 0
    allow(Resque::FairShare::WarmUp).to receive(:perform) { performed += 1 }
    worker.register_worker
    performed
  ensure
    worker.unregister_worker
  end

  it 'performs a job once, and leaves nothing behind' do
    expect(register(worker)).to eq(1)
    expect(redis.keys('*')).to be_empty
  end

  it 'is left out by a worker that does not fork' do
    worker.fork_per_job = false

    expect(register(worker)).to eq(0)
  end

  it 'is seen by nobody who watches how jobs are performed' do
    seen = []
    watcher = Module.new { define_method(:perform) { (seen << payload) && super() } }
    Resque::Job.prepend(watcher)

    register(worker)
    expect(seen).to be_empty
    Resque.enqueue(Jobs::Fair, account_id: 1)
    Resque.reserve('fair').perform
    expect(seen.size).to eq(1)
  ensure
    watcher.send(:remove_method, :perform)
  end

  it 'is left out where a plugin stands in the place of Job#perform' do
    original = Resque::Job.instance_method(:perform)
    Resque::Job.send(:alias_method, :perform, :perform)
    Resque::Job.define_method(:perform) { original.bind_call(self) }

    expect(register(worker)).to eq(0)
  ensure
    Resque::Job.define_method(:perform, original)
  end
end
