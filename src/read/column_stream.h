// Column stream: some columns of some rows of a file, decoded a given number of rows at a time. Row
// groups and pages do not show: a batch may begin and end anywhere.
//
// Each column is read by itself, through a window of its own into the file (parquet_file.cc), so
// that what is held in memory is a page of each. Of a struct only the members asked for are
// decoded. Of a row group of which only some rows are wanted, each column reads the pages that hold
// them (page_selection.h) and drops what else is in those.
//
// So columns know nothing of each other, and those of a batch are decoded on the threads of the
// file (ParquetFile::tasks()), the dearest first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "read/column_projection.h"
#include "read/page_selection.h"
#include "read/parquet_file.h"
#include "read/row_group_map.h"

namespace esker {

class ColumnStream {
 public:
  /// Reads those rows of `file` one after another: whole row groups or parts of them, in the order
  /// of the file. Columns of which the file stores nothing are constants and cost no reading.
  /// `file` and `columns` must outlive the stream. Reads no data yet; counts a row group as read
  /// when its first row is. `pages`: see PageSelection; outlives the stream.
  static arrow::Result<std::unique_ptr<ColumnStream>> Make(
      ParquetFile* file, std::vector<RowGroupSpan> spans,
      const std::vector<const ColumnProjection*>& columns, int64_t batch_rows,
      const RowGroupPages* pages = nullptr);
  ~ColumnStream();

  /// The next `rows` rows of all columns. Requires that so many are left. Invalid naming the
  /// column where the file holds fewer rows than its footer says. Of several columns with an error
  /// the first counts.
  arrow::Result<arrow::ArrayVector> Next(int64_t rows);

  /// Passes over the next `rows` rows. Requires that so many are left.
  arrow::Status Skip(int64_t rows);

 private:
  class Column;
  class WholeColumn;
  class PartialColumn;
  explicit ColumnStream(std::vector<RowGroupSpan> spans);
  arrow::Status OpenReader(const std::vector<const ColumnProjection*>& columns, int64_t batch_rows,
                           const RowGroupPages* pages);
  arrow::Status AddColumn(const ColumnProjection& projection);
  arrow::Status EnterRowGroups(int64_t until_row);
  arrow::Status EnterRowGroup(size_t group);
  arrow::Status CheckInt96(int row_group);
  arrow::Status ForEachColumn(const std::function<arrow::Status(size_t)>& call);

  ParquetFile* file_ = nullptr;
  RowGroupMap map_;
  std::vector<int> int96_leaves_;
  size_t next_group_ = 0;  // first row group of which nothing was read
  int64_t position_ = 0;   // rows given or skipped
  bool reads_pages_ = false;
  std::unique_ptr<PageSelection> pages_;                // null where all rows are wanted
  std::unique_ptr<parquet::arrow::FileReader> reader_;  // borrows the pages
  std::vector<std::unique_ptr<Column>> columns_;        // these borrow the reader
  std::vector<size_t> by_cost_;                         // columns, the dearest first
};

}  // namespace esker
