-- The server's time as text, computed by Hinnant's civil_from_days: https://howardhinnant.github.io/date_algorithms.html
-- (n - n % d) / d is the integer quotient, and saves a call of math.floor.
-- @gives now_text
-- @include time: now
local function iso8601(milliseconds)
  local seconds = (milliseconds - milliseconds % 1000) / 1000
  local rest = seconds % 86400
  local days = (seconds - rest) / 86400 + 719468
  local day_of_era = days % 146097
  local era = (days - day_of_era) / 146097
  local days_of_years = day_of_era - (day_of_era - day_of_era % 1460) / 1460 + (day_of_era - day_of_era % 36524) / 36524 -
    (day_of_era - day_of_era % 146096) / 146096
  local year_of_era = (days_of_years - days_of_years % 365) / 365
  local day_of_year = day_of_era -
    (365 * year_of_era + (year_of_era - year_of_era % 4) / 4 - (year_of_era - year_of_era % 100) / 100)
  local fifths = 5 * day_of_year + 2
  local march_month = (fifths - fifths % 153) / 153
  local before = 153 * march_month + 2
  local day = day_of_year - (before - before % 5) / 5 + 1
  local month = march_month < 10 and march_month + 3 or march_month - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  local second = rest % 60
  local hour, minute = (rest - rest % 3600) / 3600, (rest % 3600 - second) / 60
  return string.format('%04d-%02d-%02dT%02d:%02d:%02dZ', year, month, day, hour, minute, second)
end
local now_text = iso8601(now)
