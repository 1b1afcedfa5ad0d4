#include "read/stored_column.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "arrow/type.h"
#include "parquet/metadata.h"
#include "parquet/schema.h"
#include "parquet/statistics.h"
#include "parquet/types.h"
#include "parquet/xxhasher.h"
#include "read/leaf_conversion.h"

namespace esker {
namespace {

// Bounds as a manifest would write them (spec appendix D), so that all bounds are judged alike.
using Bound = std::optional<std::string>;

template <typename T>
std::optional<int64_t> DecodeInteger(std::string_view bytes) {
  T value;
  if (bytes.size() != sizeof(T)) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <typename T>
std::string LittleEndian(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Decimals of Parquet's integers are little-endian, those of manifests big-endian.
template <typename T>
std::string BigEndian(T value) {
  std::string bytes = LittleEndian(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

bool IsCounted(const FileColumn& leaf) {
  return arrow::is_signed_integer(leaf.type->id()) || arrow::is_temporal(leaf.type->id());
}

Bound BoundFromInteger(int64_t value, const StoredColumn& column) {
  const TypeId type = column.type.id;
  if (type == TypeId::kDecimal) return BigEndian(value);
  if (!IsCounted(column.leaf)) return std::nullopt;
  const UnitRatio ratio = RatioOfUnits(*column.leaf.type, column.arrow_type);
  int64_t scaled = 0;
  if (!ScaleUnits(value, ratio.multiplier, ratio.divisor, &scaled)) return std::nullopt;
  const bool is_narrow = type == TypeId::kInt || type == TypeId::kDate;
  return is_narrow ? LittleEndian(static_cast<int32_t>(scaled)) : LittleEndian(scaled);
}

Bound ToBound(const std::string& bytes, const StoredColumn& column) {
  const parquet::Type::type physical = column.descriptor.physical_type();
  switch (physical) {
    case parquet::Type::INT32:
    case parquet::Type::INT64: {
      const auto value = physical == parquet::Type::INT32 ? DecodeInteger<int32_t>(bytes)
                                                          : DecodeInteger<int64_t>(bytes);
      if (!value.has_value()) return std::nullopt;
      return BoundFromInteger(*value, column);
    }
    case parquet::Type::BYTE_ARRAY:
      // Writers have compared decimals of this kind as text.
      if (column.type.id == TypeId::kDecimal) return std::nullopt;
      return bytes;
    case parquet::Type::BOOLEAN:
    case parquet::Type::FLOAT:
    case parquet::Type::DOUBLE:
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return bytes;
    default:
      return std::nullopt;
  }
}

// Equal bounds of bytes may be two cut ones.
bool MayBeCut(const parquet::EncodedStatistics& statistics, parquet::Type::type physical) {
  if (physical != parquet::Type::BYTE_ARRAY && physical != parquet::Type::FIXED_LEN_BYTE_ARRAY) {
    return false;
  }
  return !statistics.is_min_value_exact.value_or(false) ||
         !statistics.is_max_value_exact.value_or(false);
}

bool IsBytes(const Type& type) {
  return type.id == TypeId::kString || type.id == TypeId::kBinary || type.id == TypeId::kFixed ||
         type.id == TypeId::kUuid;
}

// The integer that the file stores for the value, if there is exactly one.
std::optional<int64_t> StoredInteger(const Value& value, const StoredColumn& column) {
  if (const auto* unscaled = std::get_if<int128_t>(&value)) {
    const auto integer = static_cast<int64_t>(*unscaled);
    return integer == *unscaled ? std::optional(integer) : std::nullopt;
  }
  const auto* integer = std::get_if<int64_t>(&value);
  if (integer == nullptr || !IsCounted(column.leaf)) return std::nullopt;
  const UnitRatio ratio = RatioOfUnits(*column.leaf.type, column.arrow_type);
  if (ratio.divisor != 1 || *integer % ratio.multiplier != 0) return std::nullopt;
  return *integer / ratio.multiplier;
}

// The bytes that a file of fixed width stores for the value.
std::optional<std::string> StoredFixed(const Value& value, size_t width) {
  if (const auto* bytes = std::get_if<std::string>(&value)) {
    return bytes->size() == width ? std::optional(*bytes) : std::nullopt;
  }
  const auto* unscaled = std::get_if<int128_t>(&value);
  if (unscaled == nullptr) return std::nullopt;
  std::string bytes = BigEndian(*unscaled);
  const char sign = *unscaled < 0 ? '\xFF' : '\0';
  if (width >= bytes.size()) return std::string(width - bytes.size(), sign) + bytes;
  const std::string_view cut(bytes.data(), bytes.size() - width);
  const bool same_sign = (bytes[cut.size()] & 0x80) == (sign & 0x80);
  if (!same_sign || cut.find_first_not_of(sign) != cut.npos) return std::nullopt;
  return bytes.substr(cut.size());
}

std::optional<float> StoredFloat(double value) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) return std::nullopt;
  const auto narrow = static_cast<float>(value);
  return narrow == value ? std::optional(narrow) : std::nullopt;
}

}  // namespace

std::optional<StoredColumn> FindStoredColumn(const ParquetFile& file, const ColumnRequest& request,
                                             const ColumnProjection& projection) {
  const FileColumn* leaf = projection.stored_leaf();
  if (projection.column() < 0 || leaf == nullptr || leaf->is_int96) return std::nullopt;
  const parquet::ColumnDescriptor* descriptor = file.metadata().schema()->Column(leaf->leaf);
  return StoredColumn{*leaf, *descriptor, request.field().type, *projection.type()};
}

ColumnFacts FactsOfStored(const parquet::EncodedStatistics* statistics, int64_t values,
                          int64_t rows, const StoredColumn& column) {
  const bool required = column.descriptor.max_definition_level() == 0;
  if (statistics == nullptr) return FactsFromStatistics(nullptr, column.type, required, rows);
  ColumnStatistics counted;
  counted.value_count = values;
  if (statistics->has_null_count) counted.null_count = statistics->null_count;
  if (statistics->has_min) counted.lower_bound = ToBound(statistics->min(), column);
  if (statistics->has_max) counted.upper_bound = ToBound(statistics->max(), column);
  ColumnFacts facts = FactsFromStatistics(&counted, column.type, required, rows);
  if (!facts.all_null && MayBeCut(*statistics, column.descriptor.physical_type())) {
    facts.constant = false;
  }
  return facts;
}

std::optional<Value> ValueOfStored(const std::string& bytes, const StoredColumn& column) {
  if (IsBytes(column.type)) return Value{bytes};
  const Bound bound = ToBound(bytes, column);
  if (!bound.has_value()) return std::nullopt;
  Value value = DecodeBound(*bound, column.type);
  if (IsNull(value) || IsNan(value)) return std::nullopt;
  return value;
}

std::optional<uint64_t> BloomHashOf(const Value& value, const StoredColumn& column) {
  const parquet::XxHasher hasher;
  if (value == Value(0.0) || IsNan(value) || !FitsType(value, column.type)) return std::nullopt;
  switch (column.descriptor.physical_type()) {
    case parquet::Type::INT32: {
      const auto stored = StoredInteger(value, column);
      if (!stored.has_value() || *stored != static_cast<int32_t>(*stored)) return std::nullopt;
      return hasher.Hash(static_cast<int32_t>(*stored));
    }
    case parquet::Type::INT64: {
      const auto stored = StoredInteger(value, column);
      return stored.has_value() ? std::optional(hasher.Hash(*stored)) : std::nullopt;
    }
    case parquet::Type::FLOAT: {
      const auto* number = std::get_if<double>(&value);
      const auto stored = number == nullptr ? std::nullopt : StoredFloat(*number);
      return stored.has_value() ? std::optional(hasher.Hash(*stored)) : std::nullopt;
    }
    case parquet::Type::DOUBLE: {
      const auto* number = std::get_if<double>(&value);
      return number != nullptr ? std::optional(hasher.Hash(*number)) : std::nullopt;
    }
    case parquet::Type::BYTE_ARRAY: {
      const bool is_text = column.type.id == TypeId::kString || column.type.id == TypeId::kBinary;
      if (!is_text) return std::nullopt;
      return hasher.Hash(std::string_view(std::get<std::string>(value)));
    }
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: {
      const auto width = static_cast<uint32_t>(column.descriptor.type_length());
      const auto stored = StoredFixed(value, width);
      if (!stored.has_value()) return std::nullopt;
      const parquet::FLBA fixed(reinterpret_cast<const uint8_t*>(stored->data()));
      return hasher.Hash(&fixed, width);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace esker
