# frozen_string_literal: true

require 'support/application'

# Resque's own decoding breaks there. What multi_json for a newer Ruby makes of it is not ours.
RSpec.describe 'json 3 with multi_json 1.19' do
  it 'is named when the gem is loaded, in one sentence' do
    Application.with(:ours, json: '3.1.0', multi_json: '1.19.1') do |application|
      expect(application.run('').lines.grep(/resque-fair-share/))
        .to match([/can't decode a job with json 3\.1\.0 and multi_json 1\.19\.1 \(.*\): add gem 'json', '< 3'/])
    end
  end

  it 'is not named with json 2' do
    Application.with(:ours) { |application| expect(application.run('')).not_to include('resque-fair-share') }
  end
end
