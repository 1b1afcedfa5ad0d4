// Block source: what reading a file forwards and reading it backwards have in common.
//
// A source works in *blocks*. A block is a stretch of rows of the file, in stream order (the
// chosen rows one after another), whose eager columns were decoded at once, and of which
// deletes and filter left a selection. NextKeys() makes blocks, Take() uses them up:
//
//     stream rows    0 1 2 3 4 5 | 6 7 8 9 ...      two blocks
//     selection        x   x x   | x
//     rows given       0   1 2   | 3                counted without gaps
//
// Eager columns are kept for selected rows only. Lazy columns are decoded by the derived class.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "plan/file_task.h"
#include "plan/row_request.h"
#include "read/column_stream.h"
#include "read/delete_set.h"
#include "read/parquet_file.h"
#include "read/row_group_map.h"
#include "read/row_group_pages.h"
#include "read/row_selection.h"
#include "read/scan_columns.h"
#include "read/source.h"

namespace esker {

/// Rows of the pieces in which a file is read backwards, at most.
struct PieceRows {
  int64_t eager = 0;
  int64_t lazy = 0;  // not above eager
};

/// Everything that reading one file takes, ready.
struct OpenedFile {
  FileTask task;
  std::shared_ptr<const RowRequest> request;
  DeleteSet deletes;
  std::unique_ptr<ParquetFile> file;
  std::unique_ptr<ScanColumns> columns;  // borrows the file's schema
  std::vector<RowGroupSpan> row_groups;  // to read, or parts of them, in the order of the file
  // Read backwards: the pages of the last of these; null: row groups are decoded as a whole.
  std::shared_ptr<const RowGroupPages> last_pages;
  int64_t decode_rows = 0;   // rows decoded at once
  PieceRows piece_rows;      // with last_pages
  bool reads_ahead = false;  // one block more, on a thread of the file
  SourceMemory memory;
};

struct RowBlock {
  int64_t first_stream_row = 0;
  RowSelection selection;      // counts from first_stream_row
  int64_t first_row = 0;       // of the source: the number of its first selected row
  int64_t taken = 0;           // selected rows that Take() has given
  arrow::ArrayVector columns;  // selected rows, by index of ScanColumns::columns; null: not there

  int64_t left() const { return selection.length - taken; }
};

class BlockSource : public Source {
 public:
  explicit BlockSource(OpenedFile opened);
  ~BlockSource() override;

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeys() final;
  arrow::Result<arrow::RecordBatchVector> Take(int64_t rows) final;
  /// Decodes nothing.
  arrow::Status Skip(int64_t rows) final;
  RowPlace Place(int64_t row) const final;
  SourceMemory memory() const final { return opened_.memory; }

 protected:
  /// The next block with rows; nullopt at the end.
  virtual arrow::Result<std::optional<RowBlock>> NextBlock() = 0;
  /// The lazy columns, by index of ScanColumns::columns, for the next `rows` rows of `block`, which
  /// is the first one that has any left.
  virtual arrow::Result<arrow::ArrayVector> TakeLazy(RowBlock* block, int64_t rows) = 0;

  /// Decodes the eager columns of `rows` rows from `stream`, which stands at `first_stream_row`.
  arrow::Result<RowBlock> DecodeBlock(ColumnStream* stream, int64_t first_stream_row, int64_t rows);
  /// Decodes the lazy columns likewise, and picks the selected rows [from, from + count) of
  /// `block`. `stream` stands at `first_stream_row`, which is at or before them.
  arrow::Result<arrow::ArrayVector> DecodeLazy(ColumnStream* stream, int64_t first_stream_row,
                                               int64_t rows, const RowBlock& block, int64_t from,
                                               int64_t count);
  /// Keeps the selected rows of the eager columns, in the order of the selection.
  arrow::Status Compact(RowBlock* block) const;

  const OpenedFile& opened() const { return opened_; }
  ParquetFile* file() { return opened_.file.get(); }
  arrow::MemoryPool* pool() const { return opened_.file->pool(); }
  std::deque<RowBlock>& blocks() { return blocks_; }
  const RowGroupMap& map() const { return map_; }

 private:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeysUnchecked();
  arrow::Result<arrow::RecordBatchVector> TakeUnchecked(int64_t rows);
  arrow::Status CheckGiven(int64_t rows) const;
  // Counts `rows` rows of the first block as taken.
  void CountTaken(int64_t rows);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeFrom(RowBlock* block, int64_t rows);
  // Does any of these columns come from positions of rows?
  bool HasPositions(std::span<const int> indices) const;
  arrow::Result<arrow::ArrayVector> Decode(ColumnStream* stream, std::span<const int> indices,
                                           int64_t rows, std::span<const int64_t> positions);
  template <typename T>
  arrow::Result<T> KeepError(arrow::Result<T> result);

  OpenedFile opened_;
  RowGroupMap map_;
  std::shared_ptr<arrow::Schema> key_schema_;
  std::deque<RowBlock> blocks_;  // given by NextKeys() and not wholly taken
  int64_t rows_given_ = 0;
  int64_t rows_taken_ = 0;
  RowPlace last_taken_;
  arrow::Status failure_;
};

/// The source that gives the rows in the order of the file.
std::unique_ptr<Source> MakeForwardSource(OpenedFile opened);
/// The source that gives exactly the same rows, last to first.
std::unique_ptr<Source> MakeReversedSource(OpenedFile opened);

}  // namespace esker
