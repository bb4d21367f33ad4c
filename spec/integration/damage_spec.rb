# frozen_string_literal: true

# What somebody else has written over in Redis stops nothing but itself.
RSpec.describe 'Damage in Redis' do
  def recover
    Resque::JobChain.recover(older_than: 0)
  end

  def lose_job_of(id)
    start_chain(id, {}, {})
    redis.del('resque:queue:steps')
  end

  {
    'steps that are no JSON' => ->(redis) { redis.lset('resque:job_chain:bad:steps', 0, '{') },
    'steps of a wrong type' => lambda { |redis|
      redis.del('resque:job_chain:bad:steps')
      redis.set('resque:job_chain:bad:steps', 'x')
    },
    'a time that is none' => ->(redis) { redis.hset('resque:job_chain:bad:state', 'updated_at', 'soon') },
    'a token of 20 digits' => ->(redis) { redis.hset('resque:job_chain:bad:state', 'token:0', '9' * 20) },
    'a state of a wrong type' => lambda { |redis|
      redis.del('resque:job_chain:bad:state')
      redis.set('resque:job_chain:bad:state', 'x')
    }
  }.each do |what, damage|
    it "in one chain (#{what}) does not keep others from being recovered" do
      start_chain('bad', {}, {})
      lose_job_of('good')
      damage.call(redis)
      expect(recover).to eq(['good'])
    end
  end

  it 'in the failed list and in a record of a worker does not keep chains from being recovered' do
    lose_job_of('good')
    redis.rpush('resque:failed', ['{', '[1]', '{"payload":{"job_chain":"x","args":7},"failed_at":"never"}'])
    redis.sadd('resque:workers', ['elsewhere:1:steps'])
    redis.set('resque:worker:elsewhere:1:steps', '{')
    expect(recover).to eq(['good'])
  end

  it 'an entry of an earlier run in the failed list does not hide that a step is lost' do
    start_chain('c', { does: 'fail' }, {})
    work_off
    expect(Resque::Failure.count).to eq(1)
    Resque::JobChain.delete('c')
    lose_job_of('c')
    expect(recover).to eq(['c'])
  end

  it 'a job whose end is noted is not noted again when its release is refused' do
    Resque.enqueue(Jobs::Fair, account_id: 1)
    job = Resque.reserve('fair')
    redis.del('resque:fair_share:fair:tags')
    redis.set('resque:fair_share:fair:tags', 'x')
    expect { job.fail(RuntimeError.new('no')) }.not_to raise_error
    redis.del('resque:fair_share:fair:tags')
    Resque::FairShare.queue('fair').reconcile
    Resque.reserve('fair')
    expect([Resque::Failure.count, redis.keys('resque:fair_share:*')]).to eq([1, []])
  end

  it 'an end that Redis refuses midway leaves the record, so the job counts as started and does not run again' do
    Resque.enqueue(Jobs::Fair, account_id: 1)
    lease = Resque.reserve('fair').fair_share_lease
    redis.set('resque:worker:h:1:fair', 'record')
    redis.del('resque:fair_share:fair:tags')
    redis.set('resque:fair_share:fair:tags', 'x')
    expect { Resque::FairShare.queue('fair').leases.done(lease.id, 'h:1:fair', []) }
      .to raise_error(Redis::CommandError, /WRONGTYPE/)
    expect(redis.get('resque:worker:h:1:fair')).to eq('record')
  end
end
