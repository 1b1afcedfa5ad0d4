// Dates and times of day between numbers and ISO 8601 text, in the proleptic Gregorian calendar.
//
// Iceberg stores days since 1970-01-01 and micro- or nanoseconds since its midnight, all in UTC or
// without a zone. No local time is ever looked at. Pure; O(1) for each value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace esker {

inline constexpr int64_t kSecondsPerDay = 86'400;

/// How often a unit fits into a second; digits of its fraction: 6 for micros, 9 for nanos.
enum class TimeUnit { kMicros = 6, kNanos = 9 };
constexpr int64_t UnitsPerSecond(TimeUnit unit) {
  return unit == TimeUnit::kMicros ? 1'000'000 : 1'000'000'000;
}
constexpr int64_t UnitsPerDay(TimeUnit unit) { return kSecondsPerDay * UnitsPerSecond(unit); }

/// Quotient rounded towards minus infinity, and the remainder that goes with it (never negative).
/// Require divisor > 0.
constexpr int64_t FloorDiv(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}
constexpr int64_t FloorMod(int64_t value, int64_t divisor) {
  const int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

struct CivilDate {
  int64_t year = 1970;
  int32_t month = 1;  ///< 1 to 12
  int32_t day = 1;    ///< 1 to 31
};

/// The date that is `days` after 1970-01-01. Requires days to fit an int32.
CivilDate CivilFromDays(int64_t days);
/// The inverse. Requires a date that exists and a year below ten million either way.
int64_t DaysFromCivil(const CivilDate& date);

/// "2017-11-16"; years outside 0000 to 9999 with sign and at least four digits, as ISO 8601 wants.
/// What no int32 holds is given as the plain number.
std::string FormatDate(int64_t days);
/// "22:31:08" or, if it has a fraction, "22:31:08.123456". A number outside one day as it is.
std::string FormatTimeOfDay(int64_t units, TimeUnit unit);
/// "2017-11-16T22:31:08.123456".
std::string FormatTimestamp(int64_t units, TimeUnit unit);

/// Inverse of the above; none if the text is not of that form, names no existing date or time, has
/// digits finer than the unit, or does not fit (int32 for dates, int64 else). Seconds may be left
/// out.
std::optional<int64_t> ParseDate(std::string_view text);
std::optional<int64_t> ParseTimeOfDay(std::string_view text, TimeUnit unit);

struct ParsedTimestamp {
  int64_t units = 0;        ///< since 1970-01-01T00:00 UTC, the offset taken away
  bool has_offset = false;  ///< "Z", "+00:00", "-08:00" stood at the end
};
/// Date and time with 'T' (or a space) between, and possibly an offset.
std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text, TimeUnit unit);

}  // namespace esker
