# frozen_string_literal: true

# A process that a job forks is neither the job nor its worker.
RSpec.describe 'A process that a job forks' do
  # A step of the same kind as Jobs::Fair.
  let(:step) do
    stub_const('Jobs::ForkingStep', Class.new(Jobs::Fair) do
      extend Resque::Plugins::JobChain

      def self.perform(params) = fork_and_leave(params)
    end)
  end

  %w[exit error return].product([true, false]).each do |by, forking|
    context("when it ends by #{by}, #{forking ? 'in a child' : 'in a worker that does not fork'}") do
      it 'ends neither job nor chain in the name of its parent' do
        start_chain('c', { account_id: 'a', n: 0, by: by }, job: step)
        worker = WorkerProcess.start('fair', fork_per_job: forking)
        wait_until { holding.any? }
        expect([in_flight('a'), leases.size, failed, status['status']]).to eq([1, 1, [], 'running'])
        let_go
        wait_until { our_keys.empty? }
        worker.quit
        expect([done, failed, status['status']]).to eq([['a:0 ended'], [], 'completed'])
        expect([redis.get('resque:stat:processed'), redis.get('resque:stat:failed')]).to eq(['1', nil])
        expect_drained
      end
    end
  end
end
