// Row group choice: which row groups of a file a scan has to read.
//
// A row group is left out if its statistics rule out the filter, or if all of its rows are
// deleted. The positions of the others stay what they are in the file.
#pragma once

#include <vector>

#include "arrow/result.h"
#include "expr/filter.h"
#include "format/column_facts.h"
#include "format/position_set.h"
#include "plan/file_task.h"
#include "plan/row_request.h"
#include "read/column_projection.h"
#include "read/parquet_file.h"

namespace esker {

/// A column that the filter tests, and how this file stores it.
struct FilterColumn {
  const ColumnRequest* request = nullptr;
  const ColumnProjection* projection = nullptr;
};

/// What an upper bound of bytes is wanted for. A filter knows that it may be a prefix of what it
/// should be above (kCutWidth); who does not takes those only that are surely none.
enum class UpperBounds { kMayBePrefix, kSure };

/// What the footer tells about the column in that row group. Bounds of statistics that Parquet
/// itself distrusts (old writers), of uuid, INT96 and unsigned integers are unknown.
arrow::Result<ColumnFacts> RowGroupFacts(const ParquetFile& file, const RowGroupSpan& group,
                                         const FilterColumn& column, const FileTask& task,
                                         UpperBounds uppers = UpperBounds::kMayBePrefix);

/// The row groups that may hold rows, in the order of the file. Those without rows are left out,
/// too. `columns` are those of filter->field_ids(), in that order. `filter` and `deleted` may be
/// null. O(row groups × filter columns + deleted positions).
arrow::Result<std::vector<RowGroupSpan>> ChooseRowGroups(const ParquetFile& file,
                                                         const FileTask& task,
                                                         const BoundFilter* filter,
                                                         const std::vector<FilterColumn>& columns,
                                                         const PositionSet* deleted);

}  // namespace esker
