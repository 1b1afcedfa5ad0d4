// Batch joiner: cutting and joining pieces.
#include "merge/batch_joiner.h"

#include <algorithm>
#include <utility>

#include "arrow/array/concatenate.h"
#include "arrow/record_batch.h"
#include "merge/row_gather.h"

namespace esker {
namespace {

constexpr int64_t kFirstRows = 1024;

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Copy(const arrow::RecordBatch& batch,
                                                        arrow::MemoryPool* pool) {
  arrow::ArrayVector columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(auto copy, arrow::Concatenate({column}, pool));
    columns.push_back(std::move(copy));
  }
  return arrow::RecordBatch::Make(batch.schema(), batch.num_rows(), std::move(columns));
}

}  // namespace

BatchJoiner::BatchJoiner(int64_t batch_rows, arrow::MemoryPool* pool)
    : batch_rows_(batch_rows), target_rows_(std::min(batch_rows, kFirstRows)), pool_(pool) {}

void BatchJoiner::Push(std::shared_ptr<arrow::RecordBatch> piece) {
  if (piece->num_rows() == 0) return;
  rows_ += piece->num_rows();
  const int64_t rows = piece->num_rows();
  pieces_.push_back({std::move(piece), rows});
}

void BatchJoiner::Narrow(int64_t batch_rows) {
  batch_rows_ = std::min(batch_rows_, batch_rows);
  target_rows_ = std::min(target_rows_, batch_rows_);
}

void BatchJoiner::Clear() {
  pieces_.clear();
  rows_ = 0;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchJoiner::Pop(bool flush) {
  const int64_t enough = std::max<int64_t>(1, target_rows_ / 2);
  if (rows_ == 0 || (rows_ < enough && !flush)) return nullptr;
  std::shared_ptr<arrow::RecordBatch> batch;
  if (pieces_.front().rows->num_rows() >= enough || pieces_.size() == 1) {
    ARROW_ASSIGN_OR_RAISE(batch, CutFront(target_rows_));
  } else {
    ARROW_ASSIGN_OR_RAISE(batch, JoinFront(target_rows_));
  }
  target_rows_ = std::min(batch_rows_, 2 * target_rows_);
  return batch;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchJoiner::CutFront(int64_t rows) {
  Piece& front = pieces_.front();
  std::shared_ptr<arrow::RecordBatch> batch;
  if (front.rows->num_rows() <= rows) {
    batch = std::move(front.rows);
    if (4 * batch->num_rows() < front.of_rows) {
      ARROW_ASSIGN_OR_RAISE(batch, Copy(*batch, pool_));
    }
    pieces_.pop_front();
  } else {
    batch = front.rows->Slice(0, rows);
    if (4 * rows < front.of_rows) {
      ARROW_ASSIGN_OR_RAISE(batch, Copy(*batch, pool_));
    }
    front.rows = front.rows->Slice(rows);
  }
  rows_ -= batch->num_rows();
  return batch;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BatchJoiner::JoinFront(int64_t rows) {
  arrow::RecordBatchVector parts;
  int64_t count = 0;
  for (const Piece& piece : pieces_) {
    parts.push_back(piece.rows->Slice(0, std::min(rows - count, piece.rows->num_rows())));
    count += parts.back()->num_rows();
    if (count == rows) break;
  }
  auto joined = JoinBatches(parts, pool_);
  // Too long for one array (2 GiB of strings): the first piece goes alone.
  if (!joined.ok() && !joined.status().IsOutOfMemory()) return CutFront(rows);
  ARROW_RETURN_NOT_OK(joined);
  rows_ -= count;
  for (const auto& part : parts) {
    Piece& front = pieces_.front();
    if (part->num_rows() == front.rows->num_rows()) {
      pieces_.pop_front();
    } else {
      front.rows = front.rows->Slice(part->num_rows());
    }
  }
  return joined;
}

}  // namespace esker
