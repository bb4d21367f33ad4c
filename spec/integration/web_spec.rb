# frozen_string_literal: true

require 'rack/test'
require 'resque/server'

# Resque's own web page, the Sinatra application.
RSpec.describe 'Resque::Server' do
  include Rack::Test::Methods

  around do |example|
    before = ENV.fetch('APP_ENV', nil)
    ENV['APP_ENV'] = 'test'
    example.run
  ensure
    ENV['APP_ENV'] = before
  end

  def app
    @app ||= Class.new(Resque::Server) do
      set :environment, :test
      set :host_authorization, { permitted_hosts: [] } if respond_to?(:host_authorization)
    end
  end

  # @return [String] the page
  def page(path)
    get(path)
    expect(last_response.status).to eq(200), "#{path}: #{last_response.status} #{last_response.body[0, 500]}"
    last_response.body
  end

  def numbers_on(html)
    html.scan(/&quot;n&quot;\s*=&gt;\s*(\d+)/).flatten.map(&:to_i)
  end

  let(:evil) { '<script>alert("tenant")</script>' }

  it 'shows the size on the overview and the list of queues' do
    enqueue('a', 3)
    enqueue('b', 2)
    ['/overview', '/queues'].each { |path| expect(page(path)).to match(%r{<td class='size'>\s*5\s*</td>}) }
    expect(page('/stats.txt')).to include('resque.pending=5', 'queues.fair=5')
    expect(page('/stats/resque')).to match(%r{pending\s*</th>\s*<td>\s*5\s*</td>})
  end

  it 'lists the jobs of a queue with class and arguments, 20 a page, each job once' do
    names = Array.new(45) { |n| n }
    names.each { |n| Resque.enqueue(Jobs::Fair, account_id: "t#{n % 3}", n: n) }
    redis.rpush('resque:queue:fair', '{"class":"Jobs::Plain","args":["foreign"]}')
    pages = [0, 20, 40].map { |start| page("/queues/fair?start=#{start}") }
    expect(pages.map { |html| numbers_on(html).size }).to eq([20, 20, 5])
    expect(pages.flat_map { |html| numbers_on(html) }.sort).to eq(names)
    expect([pages[0].include?('46'), pages[0].include?('Jobs::Fair'), pages[2].include?('foreign')]).to all(be(true))
  end

  it 'removes a queue by its button, with all that is ours' do
    enqueue('a', 3)
    enqueue('b', 1)
    Resque::FairShare.queue('fair').partition('a').set(weight: 2)
    post('/queues/fair/remove')
    expect(last_response).to be_redirect
    expect(Resque.queues).to eq([])
    expect_drained
    expect(page('/queues/fair')).to include('There are no pending jobs in this queue')
  end

  it 'requeues a failed job into its partition' do
    enqueue('a', 1, then: :fail)
    WorkerProcess.drain('fair', fork_per_job: false)
    expect(page('/failed')).to include('told to fail')
    post('/failed/requeue/all')
    expect(waiting('a')).to eq(1)
    expect_consistent
  end

  it 'shows what a worker runs' do
    enqueue('a', 1, then: :hold)
    worker = WorkerProcess.start('fair')
    wait_until { holding.any? }
    expect(page('/working')).to include('Jobs::Fair', 'fair')
    let_go
    worker.quit
  end

  describe 'with a tenant whose id is HTML' do
    before do
      Resque::FairShare.configure { |config| config.weight = ->(_) { 2 } }
      enqueue(evil, 2)
      enqueue(evil * 9, 2)
      reserve
      Resque::FairShare.queue('fair').partition(evil).pause
    end

    it 'prints it nowhere unescaped: neither names of keys nor what they hold' do
      keys = Resque.keys
      expect(keys.grep(/script/).size).to be >= 4
      paths = %w[/overview /queues /queues/fair /stats/resque /stats/redis /stats/keys /working /failed] +
              keys.map { |key| "/stats/keys/#{Rack::Utils.escape_path(key).gsub('/', '%2F')}" }
      paths.each { |path| expect(page(path)).not_to include(evil), path }
    end

    it 'has none of the letters of HTML in a name of a key' do
      expect(Resque.keys.grep(/[<>"'& ]/)).to eq([])
    end

    it 'lists its jobs' do
      expect(numbers_on(page('/queues/fair')).size).to eq(3)
    end
  end
end
