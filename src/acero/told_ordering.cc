#include "acero/told_ordering.h"

#include <algorithm>
#include <utility>

#include "arrow/type.h"

namespace esker {
namespace {

using arrow::compute::NullPlacement;
using arrow::compute::Ordering;
using arrow::compute::SortOrder;

bool IsFloating(const arrow::DataType& type) {
  return type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE;
}

// The types of keys whose values Arrow compares as Esker does, NaN aside. A uuid is its 16 bytes;
// as an extension type it has no comparator at all.
bool ComparesAlike(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DATE32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
      return true;
    default:
      return false;
  }
}

bool PutsNanAlike(const ResolvedKey& key) { return key.descending == key.nulls_first; }

// An absent count is unknown, and so is an absent column: never zero.
bool CountsNoNan(const FileScanTask& file, int32_t field_id) {
  return std::any_of(file.columns.begin(), file.columns.end(), [&](const auto& column) {
    return column.field_id == field_id && column.nan_count == 0;
  });
}

bool CountNoNan(std::span<const FileScanTask> files, int32_t field_id) {
  return std::all_of(files.begin(), files.end(),
                     [&](const FileScanTask& file) { return CountsNoNan(file, field_id); });
}

arrow::compute::SortKey ToSortKey(const ResolvedKey& key) {
  return arrow::compute::SortKey(arrow::FieldRef(key.column),
                                 key.descending ? SortOrder::Descending : SortOrder::Ascending,
                                 key.nulls_first ? NullPlacement::AtStart : NullPlacement::AtEnd);
}

}  // namespace

ToldOrdering TellOrdering(std::span<const ResolvedKey> told, const arrow::Schema& schema,
                          std::span<const FileScanTask> files) {
  if (told.empty()) return {Ordering::Unordered(), {}};
  std::vector<arrow::compute::SortKey> keys;
  std::vector<int> without_nan;
  for (const ResolvedKey& key : told) {
    const std::vector<int> columns = schema.GetAllFieldIndices(key.column);
    if (columns.size() != 1) break;
    const arrow::DataType& type = *schema.field(columns[0])->type();
    if (!ComparesAlike(type)) break;
    if (IsFloating(type) && !PutsNanAlike(key)) {
      if (!CountNoNan(files, key.field_id)) break;
      without_nan.push_back(columns[0]);
    }
    keys.push_back(ToSortKey(key));
  }
  if (keys.empty()) return {Ordering::Implicit(), {}};
  return {Ordering(std::move(keys)), std::move(without_nan)};
}

}  // namespace esker
