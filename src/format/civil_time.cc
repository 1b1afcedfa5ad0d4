#include "format/civil_time.h"

#include <limits>
#include <utility>

#include "base/ascii.h"

namespace esker {
namespace {

__extension__ typedef __int128 int128;

// A calendar whose year starts in March has its leap day last, so that months have fixed starts;
// an era is the 400 years after which everything repeats.
constexpr int64_t kDaysPerEra = 146'097;
constexpr int64_t kYearsPerEra = 400;
constexpr int64_t kDaysFromMarchYearZero = 719'468;  // 0000-03-01 to 1970-01-01

constexpr int64_t DayOfMarchMonth(int64_t month) { return (153 * month + 2) / 5; }

bool IsLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int32_t DaysInMonth(int64_t year, int32_t month) {
  constexpr int32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[month - 1];
}

std::string Padded(int64_t number, size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

std::string FormatYear(int64_t year) {
  if (year < 0) return "-" + Padded(-year, 4);
  return (year > 9999 ? "+" : "") + Padded(year, 4);
}

// Reads digits from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  bool Skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// All digits that follow, at least `least` and at most `most` of them.
  std::optional<int64_t> Digits(size_t least, size_t most, size_t* count = nullptr) {
    int64_t number = 0;
    size_t n = 0;
    while (n < most && n < text_.size() && IsAsciiDigit(text_[n])) {
      number = number * 10 + (text_[n++] - '0');
    }
    if (n < least) return std::nullopt;
    text_.remove_prefix(n);
    if (count != nullptr) *count = n;
    return number;
  }
  /// Two digits below `end`.
  std::optional<int64_t> Pair(int64_t end) {
    const auto number = Digits(2, 2);
    return number && *number < end ? number : std::nullopt;
  }

 private:
  std::string_view text_;
};

std::optional<int64_t> ReadDate(Reader* reader) {
  const bool negative = reader->Skip('-');
  if (!negative) reader->Skip('+');
  const auto year = reader->Digits(4, 7);
  if (!year || !reader->Skip('-')) return std::nullopt;
  const auto month = reader->Pair(13);
  if (!month || *month == 0 || !reader->Skip('-')) return std::nullopt;
  const auto day = reader->Pair(32);
  CivilDate date{negative ? -*year : *year, static_cast<int32_t>(*month), 1};
  if (!day || *day == 0 || *day > DaysInMonth(date.year, date.month)) return std::nullopt;
  date.day = static_cast<int32_t>(*day);
  return DaysFromCivil(date);
}

std::optional<int64_t> ReadFraction(Reader* reader, TimeUnit unit) {
  size_t count = 0;
  const auto number = reader->Digits(1, 9, &count);
  if (!number) return std::nullopt;
  int64_t nanos = *number;
  for (; count < 9; ++count) nanos *= 10;
  const int64_t nanos_per_unit = UnitsPerSecond(TimeUnit::kNanos) / UnitsPerSecond(unit);
  if (nanos % nanos_per_unit != 0) return std::nullopt;
  return nanos / nanos_per_unit;
}

std::optional<int64_t> ReadTimeOfDay(Reader* reader, TimeUnit unit) {
  const auto hour = reader->Pair(24);
  if (!hour || !reader->Skip(':')) return std::nullopt;
  const auto minute = reader->Pair(60);
  if (!minute) return std::nullopt;
  std::optional<int64_t> second = 0;
  std::optional<int64_t> fraction = 0;
  if (reader->Skip(':')) {
    second = reader->Pair(60);
    if (reader->Skip('.')) fraction = ReadFraction(reader, unit);
  }
  if (!second || !fraction) return std::nullopt;
  return ((*hour * 60 + *minute) * 60 + *second) * UnitsPerSecond(unit) + *fraction;
}

// Seconds east of Greenwich.
std::optional<int64_t> ReadOffset(Reader* reader) {
  if (reader->Skip('Z')) return 0;
  const bool west = reader->Skip('-');
  if (!west && !reader->Skip('+')) return std::nullopt;
  const auto hours = reader->Pair(24);
  if (!hours || !reader->Skip(':')) return std::nullopt;
  const auto minutes = reader->Pair(60);
  if (!minutes) return std::nullopt;
  const int64_t seconds = (*hours * 60 + *minutes) * 60;
  return west ? -seconds : seconds;
}

}  // namespace

CivilDate CivilFromDays(int64_t days) {
  const int64_t shifted = days + kDaysFromMarchYearZero;
  const int64_t era = FloorDiv(shifted, kDaysPerEra);
  const int64_t day_of_era = FloorMod(shifted, kDaysPerEra);
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t march_month = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int32_t>(day_of_year - DayOfMarchMonth(march_month) + 1);
  date.month = static_cast<int32_t>(march_month < 10 ? march_month + 3 : march_month - 9);
  date.year = era * kYearsPerEra + year_of_era + (date.month <= 2 ? 1 : 0);
  return date;
}

int64_t DaysFromCivil(const CivilDate& date) {
  const int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const int64_t era = FloorDiv(year, kYearsPerEra);
  const int64_t year_of_era = FloorMod(year, kYearsPerEra);
  const int64_t march_month = date.month > 2 ? date.month - 3 : date.month + 9;
  const int64_t day_of_year = DayOfMarchMonth(march_month) + date.day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kDaysFromMarchYearZero;
}

std::string FormatDate(int64_t days) {
  if (!std::in_range<int32_t>(days)) return std::to_string(days);
  const CivilDate date = CivilFromDays(days);
  return FormatYear(date.year) + "-" + Padded(date.month, 2) + "-" + Padded(date.day, 2);
}

std::string FormatTimeOfDay(int64_t units, TimeUnit unit) {
  if (units < 0 || units >= UnitsPerDay(unit)) return std::to_string(units);
  const int64_t second = units / UnitsPerSecond(unit);
  const int64_t fraction = units % UnitsPerSecond(unit);
  std::string text =
      Padded(second / 3600, 2) + ":" + Padded(second / 60 % 60, 2) + ":" + Padded(second % 60, 2);
  if (fraction != 0) text += "." + Padded(fraction, static_cast<size_t>(unit));
  return text;
}

std::string FormatTimestamp(int64_t units, TimeUnit unit) {
  return FormatDate(FloorDiv(units, UnitsPerDay(unit))) + "T" +
         FormatTimeOfDay(FloorMod(units, UnitsPerDay(unit)), unit);
}

std::optional<int64_t> ParseDate(std::string_view text) {
  Reader reader(text);
  const auto days = ReadDate(&reader);
  if (!days || !reader.done() || !std::in_range<int32_t>(*days)) return std::nullopt;
  return days;
}

std::optional<int64_t> ParseTimeOfDay(std::string_view text, TimeUnit unit) {
  Reader reader(text);
  const auto units = ReadTimeOfDay(&reader, unit);
  return reader.done() ? units : std::nullopt;
}

std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text, TimeUnit unit) {
  Reader reader(text);
  const auto days = ReadDate(&reader);
  if (!days || !(reader.Skip('T') || reader.Skip(' '))) return std::nullopt;
  const auto time = ReadTimeOfDay(&reader, unit);
  if (!time) return std::nullopt;
  ParsedTimestamp parsed;
  std::optional<int64_t> offset = 0;
  if (!reader.done()) {
    offset = ReadOffset(&reader);
    parsed.has_offset = true;
  }
  if (!offset || !reader.done()) return std::nullopt;
  // Days and the rest apart, since the days alone may be one too many before the rest is added.
  const int64_t rest = *time - *offset * UnitsPerSecond(unit);
  const int128 units = static_cast<int128>(*days) * UnitsPerDay(unit) + rest;
  if (units < std::numeric_limits<int64_t>::min() || units > std::numeric_limits<int64_t>::max()) {
    return std::nullopt;
  }
  parsed.units = static_cast<int64_t>(units);
  return parsed;
}

}  // namespace esker
