// Page selection: which pages a stream reads of each column, and which rows those hold.
//
// Where only some rows of a row group are wanted, a column is read by the pages that hold them.
// Pages of different columns begin at different rows, so each gives some rows too many:
//
//     rows wanted             ....======..........====....
//     pages of column a     | 0     | 1      | 2  | 3     |      reads 0 1 . 3
//     pages of column b     | 0           | 1             |      reads 0 1
//
// A column of several leaves is decoded leaf by leaf in step, so that it can only be cut where all
// of them have a border. A leaf without a good index is read whole, and rows before, between and
// after those wanted are decoded and dropped.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "read/column_projection.h"
#include "read/parquet_file.h"
#include "read/row_group_pages.h"

namespace esker {

/// Data pages that follow one another in the file, or a dictionary page (then `rows` is empty).
struct PageRun {
  int64_t offset = 0;
  int64_t bytes = 0;
  std::vector<int64_t> rows;  ///< of each page
};

/// What to read of a column chunk.
struct ChunkPages {
  bool is_whole = true;
  std::vector<PageRun> runs;  ///< if it is not whole
};

/// Of the rows that a column's pages give: so many to drop, then so many to keep.
struct RowStep {
  int64_t drop = 0;
  int64_t keep = 0;
};

/// The leaves of each column. Columns out of one top-level column have all leaves of those, since
/// what is read of a leaf is the same for all of them.
std::vector<std::vector<int>> SharedLeaves(const std::vector<const ColumnProjection*>& columns);

class PageSelection {
 public:
  /// Selects for the rows of `spans`, in the order of the file; several may be of one row group.
  /// `columns` are the leaves of each column, none of one that the file does not store. Columns
  /// that share a leaf have the same leaves. `file` must outlive the selection. Reads nothing.
  ///
  /// With `known`, which must outlive the selection, all spans are of that row group: its indexes
  /// are not read again, and the pages left out are not counted, for others may come to read them.
  PageSelection(ParquetFile* file, const std::vector<RowGroupSpan>& spans,
                std::vector<std::vector<int>> columns, const RowGroupPages* known = nullptr);

  // Row groups are numbered as `spans` has them, each once. The first question about a row group
  // reads the offset indexes of all columns there, if it is not wanted as a whole: IOError.
  // Columns that are decoded on several threads may ask at the same time.

  arrow::Result<ChunkPages> PagesOf(size_t group, int leaf);
  /// How a column's rows in that row group are to be taken; what is left at the end is dropped.
  struct Steps {
    std::vector<RowStep> steps;  ///< one for each span
    int64_t rest = 0;            ///< rows after the last
  };
  arrow::Result<Steps> StepsOf(size_t group, size_t column);

  /// Counts the pages that are left out, whatever is known.
  arrow::Status CountSkipped();

  /// Forgets the row groups before that one. Requires that nobody asks for them again, nor at the
  /// same time.
  void ForgetBefore(size_t group);

 private:
  struct Group {
    std::map<int, ChunkPages> chunks;  // by leaf
    std::vector<Steps> columns;
    int64_t pages_skipped = 0;
  };
  arrow::Result<const Group*> Load(size_t group);
  arrow::Status Fill(const std::vector<RowGroupSpan>& spans, Group* group);
  arrow::Result<std::vector<std::optional<PageList>>> ListsOf(const RowGroupSpan& group,
                                                              const std::vector<int>& leaves) const;

  ParquetFile* file_;
  const RowGroupPages* known_;
  std::vector<std::vector<RowGroupSpan>> spans_;  // by row group
  std::vector<std::vector<int>> columns_;
  std::mutex mutex_;                // of what is loaded: columns may be a batch ahead
  std::map<size_t, Group> loaded_;  // groups stay where they are
};

}  // namespace esker
