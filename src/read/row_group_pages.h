// Row group pages: where the data pages lie of all columns that a scan reads of one row group.
//
// A file that is read backwards is decoded in pieces, each by the pages that hold it. For that
// every leaf needs a good offset index (page_index.h): a leaf without one would be read from the
// start of its chunk for every piece.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "read/page_index.h"
#include "read/parquet_file.h"
#include "read/scan_columns.h"

namespace esker {

/// Never changed once it is made.
struct RowGroupPages {
  int row_group = 0;
  int64_t rows = 0;
  std::map<int, PageList> lists;       ///< by leaf: those of all eager and lazy columns
  std::vector<int64_t> eager_borders;  ///< BordersOf() the eager columns
};

/// Reads the offset indexes of that row group; null if a leaf of `columns` has no good one. IOError
/// where the file cannot be read.
arrow::Result<std::shared_ptr<const RowGroupPages>> ReadRowGroupPages(const ParquetFile& file,
                                                                      const ScanColumns& columns,
                                                                      int row_group);

/// Rows at which all of these leaves begin a page, ascending from 0, and then `rows`. A leaf
/// without a list begins one at row 0 alone. O(pages).
std::vector<int64_t> CommonBorders(std::span<const PageList* const> lists, int64_t rows);

/// The same of all leaves of the columns at those indices.
std::vector<int64_t> BordersOf(const RowGroupPages& pages, const ScanColumns& columns,
                               std::span<const int> indices);

}  // namespace esker
