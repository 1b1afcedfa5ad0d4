// ParseJsonValue() of value.h: defaults as the schema's JSON holds them (spec appendix D).
#include <cmath>
#include <optional>
#include <utility>

#include "format/civil_time.h"
#include "format/decimal_text.h"
#include "format/hex_text.h"
#include "format/json_node.h"
#include "format/value.h"

namespace esker {
namespace {

using nlohmann::json;

template <typename T>
std::optional<Value> Wrap(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return Value(*value);
}

std::optional<Value> ParseInteger(const json& value, bool is_int) {
  const auto number = JsonNode(value).AsInt64();
  if (!number.ok() || (is_int && !std::in_range<int32_t>(*number))) return std::nullopt;
  return Value(*number);
}

std::optional<double> ParseFloatName(const std::string& text) {
  if (text == "NaN") return std::nan("");
  if (text == "Infinity") return HUGE_VAL;
  if (text == "-Infinity") return -HUGE_VAL;
  return std::nullopt;
}

std::optional<Value> ParseFloat(const json& value, bool is_float) {
  if (value.is_string()) return Wrap(ParseFloatName(value.get_ref<const std::string&>()));
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (!is_float) return Value(number);
  // A float column holds what a float can hold, not the nearest double of the text.
  const auto narrow = static_cast<float>(number);
  if (std::isinf(narrow)) return std::nullopt;
  return Value(static_cast<double>(narrow));
}

std::optional<std::string> ParseFixed(std::string_view text, int32_t length) {
  auto bytes = ParseHex(text);
  if (!bytes || bytes->size() != static_cast<size_t>(length)) return std::nullopt;
  return bytes;
}

std::optional<Value> ParseZoned(std::string_view text, TimeUnit unit, bool has_zone) {
  const auto parsed = ParseTimestamp(text, unit);
  if (!parsed || parsed->has_offset != has_zone) return std::nullopt;
  return Value(parsed->units);
}

// Types whose JSON is a string.
std::optional<Value> ParseText(const std::string& text, const Type& type) {
  switch (type.id) {
    case TypeId::kDecimal:
      return Wrap(ParseDecimal(text, type.precision, type.scale));
    case TypeId::kDate:
      return Wrap(ParseDate(text));
    case TypeId::kTime:
      return Wrap(ParseTimeOfDay(text, TimeUnit::kMicros));
    case TypeId::kTimestamp:
      return ParseZoned(text, TimeUnit::kMicros, false);
    case TypeId::kTimestampTz:
      return ParseZoned(text, TimeUnit::kMicros, true);
    case TypeId::kTimestampNs:
      return ParseZoned(text, TimeUnit::kNanos, false);
    case TypeId::kTimestampTzNs:
      return ParseZoned(text, TimeUnit::kNanos, true);
    case TypeId::kString:
      return Value(text);
    case TypeId::kUuid:
      return Wrap(ParseUuid(text));
    case TypeId::kFixed:
      return Wrap(ParseFixed(text, type.length));
    case TypeId::kBinary:
      return Wrap(ParseHex(text));
    default:
      return std::nullopt;
  }
}

std::optional<Value> ParseValue(const json& value, const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return value.is_boolean() ? std::optional(Value(value.get<bool>())) : std::nullopt;
    case TypeId::kInt:
    case TypeId::kLong:
      return ParseInteger(value, type.id == TypeId::kInt);
    case TypeId::kFloat:
    case TypeId::kDouble:
      return ParseFloat(value, type.id == TypeId::kFloat);
    default:
      if (!value.is_string()) return std::nullopt;
      return ParseText(value.get_ref<const std::string&>(), type);
  }
}

}  // namespace

arrow::Result<Value> ParseJsonValue(std::string_view json_text, const Type& type) {
  ARROW_ASSIGN_OR_RAISE(const json value, ParseJson(json_text));
  if (value.is_null()) return Value();
  std::optional<Value> parsed = ParseValue(value, type);
  if (parsed) return *std::move(parsed);
  return arrow::Status::Invalid(json_text.substr(0, 100), " is not a value of type ",
                                type.ToString());
}

}  // namespace esker
