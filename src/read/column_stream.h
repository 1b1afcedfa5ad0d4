// Column stream: some columns of some row groups of a file, decoded a given number of rows at a
// time. Row groups and pages do not show: a batch may begin and end anywhere.
//
// Each column is read by itself, through a window of its own into the file (parquet_file.cc), so
// that what is held in memory is a page of each. Of a struct only the members asked for are
// decoded.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "read/column_projection.h"
#include "read/parquet_file.h"

namespace esker {

class ColumnStream {
 public:
  /// Reads those row groups of `file` one after another. Columns of which the file stores nothing
  /// are constants and cost no reading. `file` and `columns` must outlive the stream. Reads no
  /// data yet; counts a row group as read when its first row is.
  static arrow::Result<std::unique_ptr<ColumnStream>> Make(
      ParquetFile* file, std::vector<RowGroupSpan> row_groups,
      const std::vector<const ColumnProjection*>& columns, int64_t batch_rows);
  ~ColumnStream();

  /// The next `rows` rows of all columns. Requires that so many are left. Invalid naming the
  /// column where the file holds fewer rows than its footer says.
  arrow::Result<arrow::ArrayVector> Next(int64_t rows);

  /// Passes over the next `rows` rows. Requires that so many are left.
  arrow::Status Skip(int64_t rows);

 private:
  class Column;
  class WholeColumn;
  class PartialColumn;
  ColumnStream();
  arrow::Status AddColumn(const ColumnProjection& projection);
  arrow::Status EnterRowGroups(int64_t until_row);
  arrow::Status CheckInt96(int row_group);

  ParquetFile* file_ = nullptr;
  std::vector<RowGroupSpan> row_groups_;
  std::vector<int> int96_leaves_;
  size_t next_group_ = 0;    // first row group of which nothing was read
  int64_t group_start_ = 0;  // its first row, as counted in this stream
  int64_t position_ = 0;     // rows given or skipped
  bool reads_pages_ = false;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::vector<std::unique_ptr<Column>> columns_;  // these borrow the reader
};

}  // namespace esker
