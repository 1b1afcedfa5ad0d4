#include "testing/twin_literal.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "format/civil_time.h"
#include "format/decimal_text.h"
#include "testing/twin_row.h"

namespace esker::testing {
namespace {

using Random = std::mt19937_64;

constexpr int32_t kLiteralScale = 12;  // fraction digits of drawn numbers
constexpr int64_t kNanosPerDay = 86'400'000'000'000;

enum class Domain { kBoolean, kTicks, kFloat, kBytes };

Domain DomainOf(const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return Domain::kBoolean;
    case TypeId::kFloat:
    case TypeId::kDouble:
      return Domain::kFloat;
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      return Domain::kBytes;
    default:
      return Domain::kTicks;
  }
}

int64_t NanosPerUnit(const Type& type) {
  if (type.id == TypeId::kDate) return kNanosPerDay;
  return type.id == TypeId::kTimestampNs || type.id == TypeId::kTimestampTzNs ? 1 : 1000;
}

int128_t TicksOf(const Type& type, const Value& value) {
  switch (type.id) {
    case TypeId::kInt:
    case TypeId::kLong:
      return int128_t{std::get<int64_t>(value)} * PowerOfTen(kLiteralScale);
    case TypeId::kDecimal:
      // Wide decimals keep few whole digits in the schema, so that this fits.
      return std::get<int128_t>(value) * PowerOfTen(kLiteralScale - type.scale);
    default:
      return int128_t{std::get<int64_t>(value)} * NanosPerUnit(type);
  }
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string Hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

TwinLiteral DrawNumber(Random& random, const Type& type, const Value& near) {
  TwinLiteral literal;
  literal.ticks = TicksOf(type, near);
  if (Chance(random, 30)) literal.ticks += Pick<int64_t>(random, {1, -1, 500'000'000'000});
  if (Chance(random, 5)) literal.ticks = PowerOfTen(30) * Pick<int>(random, {3, -3});
  literal.text = FormatDecimal(literal.ticks, kLiteralScale);
  if (Chance(random, 20)) {
    literal.text = FormatDecimal(literal.ticks, 0) + "e-" + std::to_string(kLiteralScale);
  }
  if (type.id == TypeId::kDecimal && Chance(random, 20)) literal.text = Quoted(literal.text);
  return literal;
}

std::string InstantText(int128_t nanos) {
  const auto units = static_cast<int64_t>(nanos / 1000);
  if (nanos % 1000 == 0) return FormatTimestamp(units, TimeUnit::kMicros);
  return FormatTimestamp(static_cast<int64_t>(nanos), TimeUnit::kNanos);
}

TwinLiteral DrawInstant(Random& random, const Type& type, const Value& near) {
  TwinLiteral literal;
  literal.ticks = TicksOf(type, near);
  const bool is_near = literal.ticks > -int128_t{kNanosPerDay} * 90'000 &&
                       literal.ticks < int128_t{kNanosPerDay} * 90'000;
  if (is_near && Chance(random, 30)) {
    literal.ticks += Pick<int64_t>(random, {1, -1, 1000, kNanosPerDay / 2});
  }
  const bool has_zone = type.id == TypeId::kTimestampTz || type.id == TypeId::kTimestampTzNs;
  if (type.id == TypeId::kDate && literal.ticks % kNanosPerDay == 0) {
    literal.text = Quoted(FormatDate(static_cast<int64_t>(literal.ticks / kNanosPerDay)));
    if (Chance(random, 50)) literal.text = "date " + literal.text;
    return literal;
  }
  std::string text = InstantText(literal.ticks);
  if (has_zone && is_near && Chance(random, 50)) {
    text = InstantText(literal.ticks + int128_t{kNanosPerDay / 12}) + "+02:00";
  }
  literal.text = Quoted(text);
  if (Chance(random, 50)) literal.text = "timestamp " + literal.text;
  return literal;
}

TwinLiteral DrawTime(Random& random, const Type& type, const Value& near) {
  TwinLiteral literal;
  literal.ticks = TicksOf(type, near);
  if (Chance(random, 30)) literal.ticks += 1;
  literal.text = Quoted(FormatTimeOfDay(static_cast<int64_t>(literal.ticks), TimeUnit::kNanos));
  if (Chance(random, 50)) literal.text = "time " + literal.text;
  return literal;
}

TwinLiteral DrawTicks(Random& random, const Type& type) {
  const Value near = DrawValue(random, type);
  switch (type.id) {
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDecimal:
      return DrawNumber(random, type, near);
    case TypeId::kTime:
      return DrawTime(random, type, near);
    default:
      return DrawInstant(random, type, near);
  }
}

TwinLiteral DrawFloat(Random& random, const Type& type) {
  TwinLiteral literal;
  literal.number = std::get<double>(DrawValue(random, type));
  Type wide;
  wide.id = TypeId::kDouble;
  literal.text = ValueToString(literal.number, wide);
  if (!std::isfinite(literal.number)) literal.text = Quoted(literal.text);
  if (Chance(random, 5)) {
    // Between the largest number and infinity: equal to neither.
    literal.number = type.id == TypeId::kFloat ? 3.5e38 : std::numeric_limits<double>::max();
    literal.text = type.id == TypeId::kFloat ? "3.5e38" : "1.7976931348623157e308";
  }
  return literal;
}

TwinLiteral DrawByteLiteral(Random& random, const Type& type) {
  TwinLiteral literal;
  literal.bytes = std::get<std::string>(DrawValue(random, type));
  if (type.id == TypeId::kString) {
    literal.text = Quoted(literal.bytes);
  } else if (type.id == TypeId::kUuid && Chance(random, 50)) {
    literal.text = Quoted(ValueToString(literal.bytes, type));
  } else {
    literal.text = "X" + Quoted(Hex(literal.bytes));
  }
  return literal;
}

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int OrderBytes(const std::string& a, const std::string& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const int order = Order(static_cast<unsigned char>(a[i]), static_cast<unsigned char>(b[i]));
    if (order != 0) return order;
  }
  return Order(a.size(), b.size());
}

}  // namespace

TwinLiteral DrawLiteral(Random& random, const Type& type) {
  TwinLiteral literal;
  if (Chance(random, 4)) {
    literal.text = "null";
    literal.is_null = true;
    return literal;
  }
  switch (DomainOf(type)) {
    case Domain::kBoolean:
      literal.ticks = Draw(random, 0, 1);
      literal.text = literal.ticks == 1 ? "true" : "false";
      return literal;
    case Domain::kTicks:
      return DrawTicks(random, type);
    case Domain::kFloat:
      return DrawFloat(random, type);
    case Domain::kBytes:
      return DrawByteLiteral(random, type);
  }
  return literal;
}

int CompareToLiteral(const Type& type, const Value& value, const TwinLiteral& literal) {
  switch (DomainOf(type)) {
    case Domain::kBoolean:
      return Order<int128_t>(std::get<bool>(value) ? 1 : 0, literal.ticks);
    case Domain::kTicks:
      return Order(TicksOf(type, value), literal.ticks);
    case Domain::kFloat: {
      const double number = std::get<double>(value);
      const bool nan = std::isnan(number);
      const bool literal_nan = std::isnan(literal.number);
      return nan || literal_nan ? Order(nan, literal_nan) : Order(number, literal.number);
    }
    case Domain::kBytes:
      return OrderBytes(std::get<std::string>(value), literal.bytes);
  }
  return 0;
}

}  // namespace esker::testing
