// Batch joiner: pieces of any size in, output batches of a sensible size out.
//
// A piece of half a batch or more passes as it is, cut where it is too long; shorter ones are
// joined with their neighbours. Slices keep the whole batch they were cut from alive, so one that
// is less than a quarter of it is copied. The first batches are small and double, so that a
// consumer sees its first rows early.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace esker {

class BatchJoiner {
 public:
  /// No batch has more than `batch_rows` rows (at least 1).
  BatchJoiner(int64_t batch_rows, arrow::MemoryPool* pool);

  void Push(std::shared_ptr<arrow::RecordBatch> piece);

  /// The next batch; null if more pieces should come first, or with `flush`, if all are out.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Pop(bool flush);

  /// From now on no batch has more rows than that (at least 1), if that is fewer.
  void Narrow(int64_t batch_rows);

  /// Drops all pieces.
  void Clear();

 private:
  struct Piece {
    std::shared_ptr<arrow::RecordBatch> rows;
    int64_t of_rows;  // rows of the batch that it was cut from
  };

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> CutFront(int64_t rows);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> JoinFront(int64_t rows);

  int64_t batch_rows_;
  int64_t target_rows_;  // grows up to batch_rows_
  arrow::MemoryPool* pool_;
  std::deque<Piece> pieces_;
  int64_t rows_ = 0;  // in pieces_
};

}  // namespace esker
