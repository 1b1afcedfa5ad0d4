#include "format/value.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/byte_order.h"
#include "format/civil_time.h"
#include "format/decimal_text.h"
#include "format/hex_text.h"

namespace esker {
namespace {

// Reads a little-endian integer of `bytes.size()` (4 or 8) bytes, sign extended.
int64_t LittleEndian(std::string_view bytes) {
  const auto number = LoadLittleEndian<uint64_t>(bytes);
  if (bytes.size() == 4) return static_cast<int32_t>(static_cast<uint32_t>(number));
  return static_cast<int64_t>(number);
}

// The same of a float or a double. NaN is no bound.
Value FloatBound(std::string_view bytes) {
  const auto bits = static_cast<uint64_t>(LittleEndian(bytes));
  const double number = bytes.size() == 4 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                          : std::bit_cast<double>(bits);
  if (std::isnan(number)) return {};
  return number;
}

// A date that was promoted to a timestamp; a date that no timestamp holds leaves the end open.
Value DateAsTimestamp(int64_t days, TimeUnit unit) {
  int64_t units = 0;
  if (__builtin_mul_overflow(days, UnitsPerDay(unit), &units)) return {};
  return units;
}

Value TimestampBound(std::string_view bytes, TimeUnit unit) {
  if (bytes.size() == 8) return LittleEndian(bytes);
  if (bytes.size() == 4) return DateAsTimestamp(LittleEndian(bytes), unit);
  return {};
}

Value DecimalBound(std::string_view bytes) {
  if (bytes.size() > 16) return {};
  auto number = static_cast<uint128_t>(static_cast<int8_t>(bytes[0]));
  for (const char byte : bytes.substr(1)) number = (number << 8) | static_cast<uint8_t>(byte);
  return static_cast<int128_t>(number);
}

Value IntegerBound(std::string_view bytes, size_t width) {
  if (bytes.size() != width) return {};
  return LittleEndian(bytes);
}

// ---- text ----

template <typename Float>
std::string FormatFloat(Float number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  char text[64];
  const auto result = std::to_chars(text, text + sizeof(text), number);
  return std::string(text, result.ptr);
}

std::string FormatUuid(std::string_view bytes) {
  std::string text = FormatHex(bytes);
  if (bytes.size() != 16) return text;
  for (const size_t place : {8, 13, 18, 23}) text.insert(place, 1, '-');
  return text;
}

std::string FormatInteger(int64_t number, const Type& type) {
  switch (type.id) {
    case TypeId::kDate:
      return FormatDate(number);
    case TypeId::kTime:
      return FormatTimeOfDay(number, TimeUnit::kMicros);
    case TypeId::kTimestamp:
      return FormatTimestamp(number, TimeUnit::kMicros);
    case TypeId::kTimestampTz:
      return FormatTimestamp(number, TimeUnit::kMicros) + "Z";
    case TypeId::kTimestampNs:
      return FormatTimestamp(number, TimeUnit::kNanos);
    case TypeId::kTimestampTzNs:
      return FormatTimestamp(number, TimeUnit::kNanos) + "Z";
    default:
      return std::to_string(number);
  }
}

std::string FormatBytes(const std::string& bytes, const Type& type) {
  if (type.id == TypeId::kString) return bytes;
  return type.id == TypeId::kUuid ? FormatUuid(bytes) : FormatHex(bytes);
}

}  // namespace

bool FitsType(const Value& value, const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return std::holds_alternative<bool>(value);
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return std::holds_alternative<int64_t>(value);
    case TypeId::kFloat:
    case TypeId::kDouble:
      return std::holds_alternative<double>(value);
    case TypeId::kDecimal:
      return std::holds_alternative<int128_t>(value);
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kFixed:
    case TypeId::kUuid:
      return std::holds_alternative<std::string>(value);
    default:
      return false;
  }
}

bool IsNan(const Value& value) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr && std::isnan(*number);
}

std::weak_ordering CompareValues(const Value& a, const Value& b) {
  if (const auto* x = std::get_if<double>(&a)) {
    const double y = std::get<double>(b);
    if (std::isnan(*x) || std::isnan(y)) return std::isnan(*x) <=> std::isnan(y);
    return *x < y   ? std::weak_ordering::less
           : *x > y ? std::weak_ordering::greater
                    : std::weak_ordering::equivalent;
  }
  if (const auto* x = std::get_if<int64_t>(&a)) return *x <=> std::get<int64_t>(b);
  if (const auto* x = std::get_if<int128_t>(&a)) return *x <=> std::get<int128_t>(b);
  if (const auto* x = std::get_if<bool>(&a)) return *x <=> std::get<bool>(b);
  // std::string compares its bytes as unsigned ones.
  if (const auto* x = std::get_if<std::string>(&a))
    return x->compare(std::get<std::string>(b)) <=> 0;
  return std::weak_ordering::equivalent;
}

std::string ValueToString(const Value& value, const Type& type) {
  if (const auto* x = std::get_if<bool>(&value)) return *x ? "true" : "false";
  if (const auto* x = std::get_if<int64_t>(&value)) return FormatInteger(*x, type);
  if (const auto* x = std::get_if<double>(&value)) {
    return type.id == TypeId::kFloat ? FormatFloat(static_cast<float>(*x)) : FormatFloat(*x);
  }
  if (const auto* x = std::get_if<int128_t>(&value)) return FormatDecimal(*x, type.scale);
  if (const auto* x = std::get_if<std::string>(&value)) return FormatBytes(*x, type);
  return "null";
}

Value DecodeBound(std::string_view bytes, const Type& type) {
  // An empty bound is a writer's way to say that it has none; a real empty string loses nothing,
  // since an open end is always true.
  if (bytes.empty()) return {};
  switch (type.id) {
    case TypeId::kBoolean:
      return bytes.size() == 1 ? Value(bytes[0] != 0) : Value();
    case TypeId::kInt:
    case TypeId::kDate:
      return IntegerBound(bytes, 4);
    case TypeId::kLong:
      return IntegerBound(bytes, bytes.size() == 4 ? 4 : 8);
    case TypeId::kTime:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampTzNs:
      return IntegerBound(bytes, 8);
    case TypeId::kTimestamp:
      return TimestampBound(bytes, TimeUnit::kMicros);
    case TypeId::kTimestampNs:
      return TimestampBound(bytes, TimeUnit::kNanos);
    case TypeId::kFloat:
      return bytes.size() == 4 ? FloatBound(bytes) : Value();
    case TypeId::kDouble:
      return bytes.size() == 4 || bytes.size() == 8 ? FloatBound(bytes) : Value();
    case TypeId::kDecimal:
      return DecimalBound(bytes);
    case TypeId::kUuid:
      return bytes.size() == 16 ? Value(std::string(bytes)) : Value();
    case TypeId::kFixed:
      // Shorter than the type is truncated, longer is of another type.
      return bytes.size() <= static_cast<size_t>(type.length) ? Value(std::string(bytes)) : Value();
    case TypeId::kString:
    case TypeId::kBinary:
      return std::string(bytes);
    default:
      return {};
  }
}

}  // namespace esker
