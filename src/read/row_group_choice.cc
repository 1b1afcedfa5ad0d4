#include "read/row_group_choice.h"

#include <algorithm>

#include "arrow/scalar.h"
#include "format/value.h"
#include "parquet/metadata.h"
#include "parquet/statistics.h"
#include "read/missing_column.h"
#include "read/parquet_status.h"
#include "read/stored_column.h"

namespace esker {
namespace {

// Not every writer that cuts an upper bound rounds it up.
bool MayBePrefix(const Value& upper, const parquet::EncodedStatistics& statistics) {
  const auto* bytes = std::get_if<std::string>(&upper);
  if (bytes == nullptr) return false;
  return !statistics.is_max_value_exact.value_or(bytes->size() < kCutWidth);
}

ColumnFacts StoredFacts(const ParquetFile& file, const RowGroupSpan& group,
                        const StoredColumn& column, UpperBounds uppers) {
  const auto row_group = file.metadata().RowGroup(group.index);
  const auto chunk = row_group->ColumnChunk(column.leaf.leaf);
  const auto statistics = chunk->is_stats_set() ? chunk->encoded_statistics() : nullptr;
  ColumnFacts facts = FactsOfStored(statistics.get(), chunk->num_values(), group.rows, column);
  if (uppers == UpperBounds::kSure && statistics && MayBePrefix(facts.upper, *statistics)) {
    facts.upper = Value{};
  }
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
  return deleted.CountRange(group.first_row, group.first_row + group.rows) == group.rows;
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
                                         const FilterColumn& column, const FileTask& task,
                                         UpperBounds uppers) {
  if (column.projection->column() < 0) return ConstantFacts(column, task);
  const auto stored = FindStoredColumn(file, *column.request, *column.projection);
  if (!stored.has_value()) return ColumnFacts{};
  ColumnFacts facts;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    facts = StoredFacts(file, group, *stored, uppers);
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
