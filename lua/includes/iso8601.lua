-- The server's time as text, by Hinnant's civil_from_days: https://howardhinnant.github.io/date_algorithms.html
local function iso8601(milliseconds)
  local floor, seconds = math.floor, math.floor(milliseconds / 1000)
  local days, rest = floor(seconds / 86400) + 719468, seconds % 86400
  local era = floor(days / 146097)
  local day_of_era = days - era * 146097
  local year_of_era = floor(
    (day_of_era - floor(day_of_era / 1460) + floor(day_of_era / 36524) - floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era - (365 * year_of_era + floor(year_of_era / 4) - floor(year_of_era / 100))
  local march_month = floor((5 * day_of_year + 2) / 153)
  local day = day_of_year - floor((153 * march_month + 2) / 5) + 1
  local month = march_month < 10 and march_month + 3 or march_month - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  return string.format('%04d-%02d-%02dT%02d:%02d:%02dZ', year, month, day, floor(rest / 3600), floor(rest / 60) % 60, rest % 60)
end
local now_text = iso8601(now)
