// Row selection: which rows of a decoded stretch are left after deletes and filter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "expr/filter.h"
#include "read/delete_set.h"
#include "read/scan_columns.h"

namespace esker {

/// Indices of rows, in the order in which they are given; or all of `length` rows as they stand.
struct RowSelection {
  int64_t length = 0;                          ///< rows selected
  std::shared_ptr<arrow::Int32Array> indices;  ///< null: rows 0 to length - 1

  int64_t index(int64_t i) const;
  /// The same rows, last to first. `indices` is then never null.
  arrow::Result<RowSelection> Reversed(arrow::MemoryPool* pool) const;
};

/// Selects among `rows` rows. Their `positions` in the file ascend, and need be given only if
/// `deletes` has any. `decoded` holds the eager columns of these rows, by their index in `columns`.
/// Nothing is allocated where no row can go. Errors: those of the filter and of the deletes.
arrow::Result<RowSelection> SelectRows(int64_t rows, std::span<const int64_t> positions,
                                       const arrow::ArrayVector& decoded,
                                       const ScanColumns& columns, const DeleteSet& deletes,
                                       const BoundFilter* filter, arrow::MemoryPool* pool);

/// The selected rows [from, from + count) of `values`, whose row 0 is row `first` of those that the
/// selection counts. A slice where they lie side by side in order, else a copy.
arrow::Result<std::shared_ptr<arrow::Array>> TakeSelected(
    const std::shared_ptr<arrow::Array>& values, const RowSelection& selection, int64_t from,
    int64_t count, int64_t first, arrow::MemoryPool* pool);

}  // namespace esker
