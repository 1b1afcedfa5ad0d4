#include "read/row_group_choice.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/scalar.h"
#include "arrow/type.h"
#include "format/value.h"
#include "parquet/metadata.h"
#include "parquet/statistics.h"
#include "parquet/types.h"
#include "read/leaf_conversion.h"
#include "read/missing_column.h"
#include "read/parquet_status.h"

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
std::string BigEndian(int64_t value) {
  std::string bytes = LittleEndian(value);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

Bound BoundFromInteger(int64_t value, const FileColumn& leaf, const Type& type,
                       const arrow::DataType& arrow_type) {
  if (type.id == TypeId::kDecimal) return BigEndian(value);
  if (!arrow::is_signed_integer(leaf.type->id()) && !arrow::is_temporal(leaf.type->id())) {
    return std::nullopt;
  }
  const UnitRatio ratio = RatioOfUnits(*leaf.type, arrow_type);
  int64_t scaled = 0;
  if (!ScaleUnits(value, ratio.multiplier, ratio.divisor, &scaled)) return std::nullopt;
  const bool is_narrow = type.id == TypeId::kInt || type.id == TypeId::kDate;
  return is_narrow ? LittleEndian(static_cast<int32_t>(scaled)) : LittleEndian(scaled);
}

Bound ToBound(const std::string& bytes, parquet::Type::type physical, const FileColumn& leaf,
              const Type& type, const arrow::DataType& arrow_type) {
  switch (physical) {
    case parquet::Type::INT32:
    case parquet::Type::INT64: {
      const auto value = physical == parquet::Type::INT32 ? DecodeInteger<int32_t>(bytes)
                                                          : DecodeInteger<int64_t>(bytes);
      if (!value.has_value()) return std::nullopt;
      return BoundFromInteger(*value, leaf, type, arrow_type);
    }
    case parquet::Type::BYTE_ARRAY:
      // Writers have compared decimals of this kind as text.
      if (type.id == TypeId::kDecimal) return std::nullopt;
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

struct StoredColumn {
  const FileColumn& leaf;
  const Type& type;
  const arrow::DataType& arrow_type;
};

ColumnStatistics ToColumnStatistics(const parquet::ColumnChunkMetaData& chunk,
                                    const parquet::EncodedStatistics& encoded,
                                    const StoredColumn& column) {
  ColumnStatistics statistics;
  statistics.value_count = chunk.num_values();
  if (encoded.has_null_count) statistics.null_count = encoded.null_count;
  if (encoded.has_min) {
    statistics.lower_bound =
        ToBound(encoded.min(), chunk.type(), column.leaf, column.type, column.arrow_type);
  }
  if (encoded.has_max) {
    statistics.upper_bound =
        ToBound(encoded.max(), chunk.type(), column.leaf, column.type, column.arrow_type);
  }
  return statistics;
}

// Equal bounds of bytes may be two cut ones.
bool MayBeCut(const parquet::EncodedStatistics& encoded, parquet::Type::type physical) {
  if (physical != parquet::Type::BYTE_ARRAY && physical != parquet::Type::FIXED_LEN_BYTE_ARRAY) {
    return false;
  }
  return !encoded.is_min_value_exact.value_or(false) || !encoded.is_max_value_exact.value_or(false);
}

ColumnFacts StoredFacts(const ParquetFile& file, const RowGroupSpan& group,
                        const StoredColumn& column) {
  const auto row_group = file.metadata().RowGroup(group.index);
  const auto chunk = row_group->ColumnChunk(column.leaf.leaf);
  const bool required =
      file.metadata().schema()->Column(column.leaf.leaf)->max_definition_level() == 0;
  const auto encoded = chunk->is_stats_set() ? chunk->encoded_statistics() : nullptr;
  if (encoded == nullptr) {
    return FactsFromStatistics(nullptr, column.type, required, group.rows);
  }
  const ColumnStatistics statistics = ToColumnStatistics(*chunk, *encoded, column);
  ColumnFacts facts = FactsFromStatistics(&statistics, column.type, required, group.rows);
  if (!facts.all_null && MayBeCut(*encoded, chunk->type())) facts.constant = false;
  return facts;
}

arrow::Result<ColumnFacts> ConstantFacts(const FilterColumn& column, const FileTask& task) {
  const Field& field = column.request->field();
  if (!column.projection->constant()->is_valid) return FactsOfConstant(Value{});
  if (const Value* constant = FindConstant(task, field.id)) return FactsOfConstant(*constant);
  if (field.type.is_nested() || !field.initial_default.has_value()) return ColumnFacts{};
  ARROW_ASSIGN_OR_RAISE(const Value value, ParseJsonValue(*field.initial_default, field.type));
  return FactsOfConstant(value);
}

bool IsWhollyDeleted(const RowGroupSpan& group, const PositionSet& deleted) {
  if (deleted.cardinality() < group.rows) return false;
  std::vector<uint8_t> bits((group.rows + 7) / 8);
  return deleted.MarkRange(group.first_row, group.first_row + group.rows, bits.data()) ==
         group.rows;
}

arrow::Result<bool> MayMatch(const ParquetFile& file, const RowGroupSpan& group,
                             const FileTask& task, const BoundFilter& filter,
                             const std::vector<FilterColumn>& columns) {
  std::vector<ColumnFacts> facts;
  for (const FilterColumn& column : columns) {
    ARROW_ASSIGN_OR_RAISE(facts.emplace_back(), RowGroupFacts(file, group, column, task));
  }
  const std::vector<int32_t>& ids = filter.field_ids();
  return filter.MayMatch([&](int32_t field_id) {
    const auto found = std::find(ids.begin(), ids.end(), field_id);
    return found == ids.end() ? ColumnFacts{} : facts[found - ids.begin()];
  });
}

}  // namespace

arrow::Result<ColumnFacts> RowGroupFacts(const ParquetFile& file, const RowGroupSpan& group,
                                         const FilterColumn& column, const FileTask& task) {
  const ColumnProjection& projection = *column.projection;
  if (projection.column() < 0) return ConstantFacts(column, task);
  const FileColumn* leaf = projection.stored_leaf();
  if (leaf == nullptr || leaf->is_int96) return ColumnFacts{};
  ColumnFacts facts;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    facts = StoredFacts(file, group, {*leaf, column.request->field().type, *projection.type()});
    return arrow::Status::OK();
  }));
  return facts;
}

arrow::Result<std::vector<RowGroupSpan>> ChooseRowGroups(const ParquetFile& file,
                                                         const FileTask& task,
                                                         const BoundFilter* filter,
                                                         const std::vector<FilterColumn>& columns,
                                                         const PositionSet* deleted) {
  std::vector<RowGroupSpan> chosen;
  for (const RowGroupSpan& group : file.row_groups()) {
    if (group.rows == 0) continue;
    if (deleted != nullptr && IsWhollyDeleted(group, *deleted)) continue;
    if (filter != nullptr) {
      ARROW_ASSIGN_OR_RAISE(const bool may_match, MayMatch(file, group, task, *filter, columns));
      if (!may_match) continue;
    }
    chosen.push_back(group);
  }
  return chosen;
}

}  // namespace esker
