#include "testing/twin_row.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace esker::testing {
namespace {

using Random = std::mt19937_64;

constexpr int32_t kFirstId = 11;
constexpr int64_t kNanosPerDay = 86'400'000'000'000;

Type Plain(TypeId id) {
  Type type;
  type.id = id;
  return type;
}

Type DecimalType(int32_t precision, int32_t scale) {
  Type type = Plain(TypeId::kDecimal);
  type.precision = precision;
  type.scale = scale;
  return type;
}

Type FixedType(int32_t length) {
  Type type = Plain(TypeId::kFixed);
  type.length = length;
  return type;
}

int64_t DrawInteger(Random& random, int64_t least, int64_t greatest) {
  if (Chance(random, 10)) return Chance(random, 50) ? least : greatest;
  return Draw(random, -6, 12);
}

double DrawDouble(Random& random) {
  static const std::vector<double> kPool = {0.0,    -0.0, 1.0,          -1.0,          0.5,
                                            2.5,    0.1f, std::nan(""), -std::nan(""), 1e30f,
                                            -1e30f, 3.0,  HUGE_VAL,     -HUGE_VAL,     16777216};
  return Pick(random, kPool);
}

std::string DrawBytes(Random& random, size_t length) {
  std::string bytes;
  for (size_t i = 0; i < length; ++i) {
    bytes += Pick<char>(random, {'\x00', '\x01', '\x7F', '\x80', '\xFF'});
  }
  return bytes;
}

std::string DrawText(Random& random) {
  static const std::vector<std::string> kParts = {
      "a", "b", "ab", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "%", "_", "'", "\\"};
  std::string text;
  if (Chance(random, 15)) text = "a long beginning that is shared ";
  for (int64_t n = Draw(random, 0, 4); n > 0; --n) text += Pick(random, kParts);
  return text;
}

int128_t DrawDecimal(Random& random, const Type& type) {
  const int128_t max = PowerOfTen(type.precision) - 1;
  if (Chance(random, 10)) return Chance(random, 50) ? max : -max;
  return int128_t{Draw(random, -4, 8)} * PowerOfTen(type.scale) / Pick<int>(random, {1, 2, 4}) +
         Draw(random, 0, 1);
}

}  // namespace

int128_t PowerOfTen(int32_t exponent) {
  int128_t power = 1;
  for (int32_t i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::vector<TwinColumn> TwinColumns() {
  const std::vector<std::pair<std::string, Type>> named = {
      {"b", Plain(TypeId::kBoolean)},        {"i", Plain(TypeId::kInt)},
      {"l", Plain(TypeId::kLong)},           {"f", Plain(TypeId::kFloat)},
      {"d", Plain(TypeId::kDouble)},         {"small", DecimalType(4, 2)},
      {"wide", DecimalType(22, 10)},         {"date", Plain(TypeId::kDate)},
      {"tm", Plain(TypeId::kTime)},          {"ts", Plain(TypeId::kTimestamp)},
      {"tz", Plain(TypeId::kTimestampTz)},   {"tn", Plain(TypeId::kTimestampNs)},
      {"zn", Plain(TypeId::kTimestampTzNs)}, {"s", Plain(TypeId::kString)},
      {"u", Plain(TypeId::kUuid)},           {"fx", FixedType(3)},
      {"bin", Plain(TypeId::kBinary)},       {"st.x", Plain(TypeId::kInt)},
  };
  std::vector<TwinColumn> columns;
  for (const auto& [name, type] : named) {
    Field field;
    field.id = kFirstId + static_cast<int32_t>(columns.size());
    field.name = name == "st.x" ? "x" : name;
    field.type = type;
    columns.push_back({field, name});
  }
  return columns;
}

Schema TwinSchema() {
  Schema schema;
  for (const TwinColumn& column : TwinColumns()) schema.fields.push_back(column.field);
  Field parent;
  parent.id = kFirstId + static_cast<int32_t>(schema.fields.size());
  parent.name = "st";
  parent.type.id = TypeId::kStruct;
  parent.type.fields = std::make_shared<const std::vector<Field>>(1, schema.fields.back());
  schema.fields.back() = parent;
  return schema;
}

Value DrawValue(Random& random, const Type& type) {
  using Long = std::numeric_limits<int64_t>;
  const bool far = Chance(random, 5);
  switch (type.id) {
    case TypeId::kBoolean:
      return Chance(random, 50);
    case TypeId::kInt:
      return DrawInteger(random, std::numeric_limits<int32_t>::min(),
                         std::numeric_limits<int32_t>::max());
    case TypeId::kLong:
      return DrawInteger(random, Long::min(), Long::max());
    case TypeId::kFloat:
    case TypeId::kDouble:
      return DrawDouble(random);
    case TypeId::kDecimal:
      return DrawDecimal(random, type);
    case TypeId::kDate:
      return Draw(random, -3, 5) * (far ? 20'000 : 1);
    case TypeId::kTime:
      return Draw(random, 0, 5) * 3'600'000'000 + Draw(random, 0, 1);
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return Draw(random, -60, 60) * kNanosPerDay / 24 * (far ? 20'000 : 1) + Draw(random, -1, 1);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return Draw(random, -60, 60) * (kNanosPerDay / 24'000) * (far ? 30'000'000 : 1) +
             Draw(random, -1, 1);
    case TypeId::kString:
      return DrawText(random);
    case TypeId::kUuid:
      return std::string(15, '\x00') + DrawBytes(random, 1);
    case TypeId::kFixed:
      return DrawBytes(random, static_cast<size_t>(type.length));
    default:
      return DrawBytes(random, static_cast<size_t>(Draw(random, 0, 3)));
  }
}

TwinRow DrawRow(Random& random) {
  static const std::vector<TwinColumn> kColumns = TwinColumns();
  TwinRow row;
  for (const TwinColumn& column : kColumns) {
    row.push_back(Chance(random, 16) ? Value() : DrawValue(random, column.field.type));
  }
  return row;
}

}  // namespace esker::testing
