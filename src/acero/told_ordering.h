// Told ordering: how much of the order of a plan is true in the words of Arrow's comparators.
//
// Ours and Arrow's agree on every type that can be a key (numbers, unsigned bytes, zeros equal)
// but for NaN. Ours stands after every number, so "desc" has it first; Arrow's stands beside nulls.
//
//     asc nulls last     1 2 NaN null      Arrow AtEnd     1 2 NaN null     the same
//     desc nulls first   null NaN 2 1      Arrow AtStart   null NaN 2 1     the same
//     asc nulls first    null 1 2 NaN      Arrow AtStart   null NaN 1 2     not with NaN
//     desc nulls last    NaN 2 1 null      Arrow AtEnd     2 1 NaN null     not with NaN
//
// Pure: no I/O, no row data.
#pragma once

#include <span>
#include <vector>

#include "arrow/compute/ordering.h"
#include "arrow/type_fwd.h"
#include "esker/scan.h"

namespace esker {

struct ToldOrdering {
  arrow::compute::Ordering ordering;
  /// Columns of the schema that the ordering takes to hold no NaN, on the word of the statistics.
  /// Whoever reads the rows has to check it.
  std::vector<int> without_nan;
};

/// The longest start of `told` (ScanPlan::order()) that Arrow's sort keys can say about rows of
/// `schema` out of `files`. Unordered if `told` is empty, implicit if it is not and no key of it
/// can be said. See AceroOrdering() for what ends it. Cannot fail. O(files × keys).
ToldOrdering TellOrdering(std::span<const ResolvedKey> told, const arrow::Schema& schema,
                          std::span<const FileScanTask> files);

}  // namespace esker
