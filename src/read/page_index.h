// Page index: where the data pages of a column chunk lie, and what is known of each.
//
// A file may hold two structures for every column chunk, near its footer. The *offset index* says
// where each data page lies and which rows it holds; the *column index* has bounds and null counts
// for each page. Pages begin at rows, also of nested columns.
//
//     chunk     | dictionary | page 0     | page 1  | page 2       |
//     rows                     0 ... 99     100 ...   250 ... 299
//
// An index is only believed where it fits the footer and itself: its pages follow one another
// without a gap to the end of the chunk, and their first rows ascend from 0 within the row group.
// Any other is taken as absent. What a page really holds is checked when it is read
// (selected_pages.h); that bounds are true is believed as it is of the footer's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "format/column_facts.h"
#include "read/parquet_file.h"
#include "read/stored_column.h"

namespace esker {

/// A data page with its header.
struct PagePlace {
  int64_t offset = 0;  ///< in the file
  int64_t bytes = 0;
  int64_t first_row = 0;  ///< in the row group
};

/// The data pages of one column chunk. There is at least one.
struct PageList {
  int64_t chunk_offset = 0;  ///< a dictionary page lies between this and the first data page
  int64_t rows = 0;          ///< of the row group
  std::vector<PagePlace> pages;

  int64_t end_row(size_t page) const {
    return page + 1 < pages.size() ? pages[page + 1].first_row : rows;
  }
};

/// Whether the pages follow one another up to the end of a chunk of that many bytes, and their rows
/// within the row group. Requires a page.
bool FitsChunk(const PageList& list, int64_t chunk_bytes);

/// Reads the offset indexes of those leaves in a row group; nullopt for a leaf without a good one.
/// IOError where the file cannot be read. Indexes that lie near one another are read at once.
arrow::Result<std::vector<std::optional<PageList>>> ReadPageLists(const ParquetFile& file,
                                                                  const RowGroupSpan& group,
                                                                  std::span<const int> leaves);

/// The pages of a column and what is known of each.
struct PageFacts {
  PageList list;
  std::vector<ColumnFacts> facts;  ///< one for each page
};

/// Reads both indexes of those columns in a row group; nullopt for a column that lacks a good one
/// of either. Errors as above.
arrow::Result<std::vector<std::optional<PageFacts>>> ReadPageFacts(
    const ParquetFile& file, const RowGroupSpan& group, std::span<const StoredColumn> columns);

}  // namespace esker
