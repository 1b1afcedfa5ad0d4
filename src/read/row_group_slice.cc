#include "read/row_group_slice.h"

#include <algorithm>
#include <utility>

#include "order/corner.h"

namespace esker {
namespace {

enum class Side { kBefore, kInside, kAfter };

arrow::Result<Side> SideOf(const ParquetFile& file, const FileTask& task,
                           const std::vector<FilterColumn>& columns, const FileSlice& slice,
                           const RowGroupSpan& group) {
  std::vector<ColumnFacts> facts;
  for (const FilterColumn& column : columns) {
    ARROW_ASSIGN_OR_RAISE(facts.emplace_back(),
                          RowGroupFacts(file, group, column, task, UpperBounds::kSure));
  }
  const KeyRange range = MakeKeyRange(slice.keys, facts);
  const auto is_before = [&](const Corner& corner, const Corner& cut) {
    return !cut.empty() && CompareCorners(slice.keys, corner, cut) < 0;
  };
  if (is_before(range.upper, slice.slice.lower)) return Side::kBefore;
  if (slice.slice.upper.empty() || is_before(range.lower, slice.slice.upper)) return Side::kInside;
  return Side::kAfter;
}

}  // namespace

arrow::Result<std::vector<RowGroupSpan>> RowGroupsInSlice(const ParquetFile& file,
                                                          const FileTask& task,
                                                          const std::vector<FilterColumn>& columns,
                                                          const FileSlice& slice,
                                                          std::vector<RowGroupSpan> groups) {
  std::vector<Side> sides;
  for (const RowGroupSpan& group : groups) {
    ARROW_ASSIGN_OR_RAISE(sides.emplace_back(), SideOf(file, task, columns, slice, group));
  }
  if (slice.any_order) {
    std::vector<RowGroupSpan> inside;
    for (size_t i = 0; i < groups.size(); ++i) {
      if (sides[i] == Side::kInside) inside.push_back(groups[i]);
    }
    return inside;
  }
  const Side at_front = slice.reversed ? Side::kAfter : Side::kBefore;
  const Side at_back = slice.reversed ? Side::kBefore : Side::kAfter;
  size_t begin = 0;
  size_t end = groups.size();
  while (begin < end && sides[begin] == at_front) ++begin;
  while (end > begin && sides[end - 1] == at_back) --end;
  return std::vector<RowGroupSpan>(groups.begin() + static_cast<std::ptrdiff_t>(begin),
                                   groups.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace esker
