#include "expr/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/status.h"
#include "expr/lex.h"
#include "format/civil_time.h"
#include "format/hex_text.h"

namespace esker::expr_internal {
namespace {

using Place = Fit::Place;

constexpr size_t kMaxDecimalDigits = 38;
constexpr int64_t kMaxExponent = 1'000'000'000;

// "-12.5e3": digits "125", of which the last stands for 10^exponent = 10^2.
struct Number {
  bool negative = false;
  std::string digits;  ///< without leading zeros; empty for zero
  int64_t exponent = 0;
};

// The exponent behind "e"; huge ones are clamped, since nothing fits either way.
std::optional<int64_t> ParseExponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  int64_t exponent = 0;
  for (const char c : text) {
    if (!IsAsciiDigit(c)) return std::nullopt;
    exponent = std::min(exponent * 10 + (c - '0'), kMaxExponent);
  }
  return negative ? -exponent : exponent;
}

std::optional<Number> ParseNumber(std::string_view text) {
  Number number;
  number.negative = text.starts_with('-');
  if (number.negative || text.starts_with('+')) text.remove_prefix(1);
  size_t seen = 0;
  bool point = false;
  size_t i = 0;
  for (; i < text.size() && (IsAsciiDigit(text[i]) || (text[i] == '.' && !point)); ++i) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    ++seen;
    if (point) --number.exponent;
    if (text[i] != '0' || !number.digits.empty()) number.digits += text[i];
  }
  if (seen == 0) return std::nullopt;
  if (i == text.size()) return number;
  if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
  const auto exponent = ParseExponent(text.substr(i + 1));
  if (!exponent) return std::nullopt;
  number.exponent += *exponent;
  return number;
}

// Where `whole` plus a fraction (if not `exact`) lies within [min, max].
template <typename Integer>
Fit PlaceInteger(int128_t whole, bool exact, int128_t min, int128_t max) {
  if (whole < min) return {Place::kBelowAll, {}};
  if (whole > max || (whole == max && !exact)) return {Place::kAboveAll, {}};
  return {exact ? Place::kAt : Place::kAfter, static_cast<Integer>(whole)};
}

// The same for number * 10^scale.
template <typename Integer>
Fit PlaceNumber(const Number& number, int32_t scale, int128_t min, int128_t max) {
  const int64_t shift = number.exponent + scale;
  const int64_t whole_digits =
      number.digits.empty() ? 0 : static_cast<int64_t>(number.digits.size()) + shift;
  if (whole_digits > static_cast<int64_t>(kMaxDecimalDigits)) {
    return {number.negative ? Place::kBelowAll : Place::kAboveAll, {}};
  }
  int128_t whole = 0;
  for (int64_t i = 0; i < whole_digits; ++i) {
    const auto at = static_cast<size_t>(i);
    whole = whole * 10 + (at < number.digits.size() ? number.digits[at] - '0' : 0);
  }
  const auto kept = static_cast<size_t>(std::max<int64_t>(whole_digits, 0));
  const bool exact = kept >= number.digits.size() ||
                     number.digits.find_first_not_of('0', kept) == std::string::npos;
  if (number.negative) whole = exact ? -whole : -whole - 1;
  return PlaceInteger<Integer>(whole, exact, min, max);
}

int128_t MaxUnscaled(int32_t precision) {
  int128_t power = 1;
  for (int32_t i = 0; i < precision && i < static_cast<int32_t>(kMaxDecimalDigits); ++i) {
    power *= 10;
  }
  return power - 1;
}

// Requires text that ParseNumber() takes.
template <typename Float>
Fit PlaceFloat(std::string_view text, const Number& number) {
  if (text.starts_with('+')) text.remove_prefix(1);
  using Limits = std::numeric_limits<Float>;
  Float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc()) return {Place::kAt, static_cast<double>(value)};
  const bool tiny = static_cast<int64_t>(number.digits.size()) + number.exponent <= 0;
  if (tiny) return {Place::kAt, 0.0};
  // Beyond the largest finite number, yet not infinite.
  return {Place::kAfter,
          static_cast<double>(number.negative ? -Limits::infinity() : Limits::max())};
}

std::optional<Fit> PlaceSpecialFloat(const Literal& literal) {
  if (literal.kind != Literal::Kind::kString) return std::nullopt;
  std::string_view text = literal.text;
  if (EqualsIgnoringCase(text, "nan")) return Fit{Place::kNan, {}};
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool is_infinity = EqualsIgnoringCase(text, "infinity") || EqualsIgnoringCase(text, "inf");
  if (!is_infinity) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return Fit{Place::kAt, negative ? -infinity : infinity};
}

// How an error names the literal, as it was written.
std::string Written(const Literal& literal) {
  const std::string text = Clipped(literal.text);
  switch (literal.kind) {
    case Literal::Kind::kString:
      return "'" + text + "'";
    case Literal::Kind::kBinary:
      return "X'" + text + "'";
    case Literal::Kind::kDate:
      return "date '" + text + "'";
    case Literal::Kind::kTime:
      return "time '" + text + "'";
    case Literal::Kind::kTimestamp:
      return "timestamp '" + text + "'";
    default:
      return text;
  }
}

arrow::Status Misfit(const Literal& literal, const Type& type, std::string_view wanted) {
  return UsageError("the column is of type ", type.ToString(), ": expected ", wanted, ", not ",
                    Written(literal));
}

arrow::Result<Fit> FitNumber(const Literal& literal, const Type& type) {
  if (type.is_floating()) {
    if (auto fit = PlaceSpecialFloat(literal)) return *fit;
  }
  std::optional<Number> number;
  if (literal.kind == Literal::Kind::kNumber || literal.kind == Literal::Kind::kString) {
    number = ParseNumber(literal.text);
  }
  if (!number) return Misfit(literal, type, "a number");
  switch (type.id) {
    case TypeId::kFloat:
      return PlaceFloat<float>(literal.text, *number);
    case TypeId::kDouble:
      return PlaceFloat<double>(literal.text, *number);
    case TypeId::kDecimal: {
      const int128_t max = MaxUnscaled(type.precision);
      return PlaceNumber<int128_t>(*number, type.scale, -max, max);
    }
    case TypeId::kInt:
      return PlaceNumber<int64_t>(*number, 0, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
    default:
      return PlaceNumber<int64_t>(*number, 0, std::numeric_limits<int64_t>::min(),
                                  std::numeric_limits<int64_t>::max());
  }
}

// A date or timestamp in nanoseconds, of which no year overflows 128 bits.
struct Instant {
  int128_t nanos = 0;
  bool has_offset = false;
};

std::optional<Instant> ParseInstant(const Literal& literal) {
  const bool may_be_date = literal.kind != Literal::Kind::kTimestamp;
  if (const auto days = ParseDate(literal.text)) {
    return Instant{static_cast<int128_t>(*days) * UnitsPerDay(TimeUnit::kNanos), false};
  }
  if (may_be_date && literal.kind == Literal::Kind::kDate) return std::nullopt;
  if (const auto parsed = ParseTimestamp(literal.text, TimeUnit::kMicros)) {
    return Instant{static_cast<int128_t>(parsed->units) * 1000, parsed->has_offset};
  }
  if (const auto parsed = ParseTimestamp(literal.text, TimeUnit::kNanos)) {
    return Instant{parsed->units, parsed->has_offset};
  }
  return std::nullopt;
}

bool HasZone(const Type& type) {
  return type.id == TypeId::kTimestampTz || type.id == TypeId::kTimestampTzNs;
}

int64_t NanosPerUnit(const Type& type) {
  switch (type.id) {
    case TypeId::kDate:
      return UnitsPerDay(TimeUnit::kNanos);
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return 1;
    default:
      return 1000;
  }
}

// A time without offset is taken as UTC where the column has a zone.
arrow::Result<Fit> FitInstant(const Literal& literal, const Type& type) {
  const bool is_date = type.id == TypeId::kDate;
  const std::string_view wanted =
      is_date ? "a date such as '2024-01-31'" : "a time such as '2024-01-31T12:30:00'";
  const bool is_text = literal.kind == Literal::Kind::kString ||
                       literal.kind == Literal::Kind::kDate ||
                       literal.kind == Literal::Kind::kTimestamp;
  std::optional<Instant> instant;
  if (is_text) instant = ParseInstant(literal);
  if (!instant) return Misfit(literal, type, wanted);
  if (instant->has_offset && !HasZone(type)) {
    return Misfit(literal, type, "a time without an offset, since the column has no zone");
  }
  const int128_t unit = NanosPerUnit(type);
  int128_t whole = instant->nanos / unit;
  const bool exact = instant->nanos % unit == 0;
  if (!exact && instant->nanos < 0) --whole;
  using Limits = std::numeric_limits<int64_t>;
  using DateLimits = std::numeric_limits<int32_t>;
  return PlaceInteger<int64_t>(whole, exact, is_date ? DateLimits::min() : Limits::min(),
                               is_date ? DateLimits::max() : Limits::max());
}

arrow::Result<Fit> FitTimeOfDay(const Literal& literal, const Type& type) {
  std::optional<int64_t> nanos;
  if (literal.kind == Literal::Kind::kTime || literal.kind == Literal::Kind::kString) {
    nanos = ParseTimeOfDay(literal.text, TimeUnit::kNanos);
  }
  if (!nanos) return Misfit(literal, type, "a time of day such as '12:30:00'");
  return Fit{*nanos % 1000 == 0 ? Place::kAt : Place::kAfter, *nanos / 1000};
}

arrow::Result<Fit> FitUuid(const Literal& literal, const Type& type) {
  std::optional<std::string> bytes;
  if (literal.kind == Literal::Kind::kString) bytes = ParseUuid(literal.text);
  if (literal.kind == Literal::Kind::kBinary) bytes = ParseHex(literal.text);
  if (!bytes || bytes->size() != 16) {
    return Misfit(literal, type, "a UUID such as '00112233-4455-6677-8899-aabbccddeeff'");
  }
  return Fit{Place::kAt, *std::move(bytes)};
}

arrow::Result<Fit> FitBinary(const Literal& literal, const Type& type) {
  std::optional<std::string> bytes;
  if (literal.kind == Literal::Kind::kBinary) bytes = ParseHex(literal.text);
  if (!bytes) return Misfit(literal, type, "bytes in hexadecimal such as X'00ff'");
  if (type.id == TypeId::kFixed && bytes->size() != static_cast<size_t>(type.length)) {
    return Misfit(literal, type, std::to_string(type.length) + " bytes");
  }
  return Fit{Place::kAt, *std::move(bytes)};
}

}  // namespace

arrow::Result<Fit> FitLiteral(const Literal& literal, const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      if (literal.kind != Literal::Kind::kBoolean) return Misfit(literal, type, "true or false");
      return Fit{Place::kAt, literal.text == "true"};
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kFloat:
    case TypeId::kDouble:
    case TypeId::kDecimal:
      return FitNumber(literal, type);
    case TypeId::kDate:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return FitInstant(literal, type);
    case TypeId::kTime:
      return FitTimeOfDay(literal, type);
    case TypeId::kString:
      if (literal.kind != Literal::Kind::kString) return Misfit(literal, type, "text in '…'");
      return Fit{Place::kAt, literal.text};
    case TypeId::kUuid:
      return FitUuid(literal, type);
    case TypeId::kFixed:
    case TypeId::kBinary:
      return FitBinary(literal, type);
    default:
      return UsageError("a column of type ", type.ToString(), " cannot be compared");
  }
}

}  // namespace esker::expr_internal
