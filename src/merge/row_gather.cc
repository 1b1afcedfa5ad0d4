// Row gather: slices, stretch copies, or one take by flat index, by the length of runs.
#include "merge/row_gather.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "arrow/array.h"
#include "arrow/array/concatenate.h"
#include "arrow/buffer.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"

namespace esker {
namespace {

/// Average run length from which copying stretches beats picking rows by an index.
constexpr int64_t kStretchRows = 128;

/// Walks the rows that one input gave.
class TakenRows {
 public:
  explicit TakenRows(const arrow::RecordBatchVector& batches) : batches_(&batches) {}

  /// Appends the next `count` rows as slices.
  void Slice(int64_t count, arrow::RecordBatchVector* out) {
    while (count > 0) {
      const auto& batch = (*batches_)[batch_];
      const int64_t rows = std::min(count, batch->num_rows() - row_);
      if (rows > 0) out->push_back(batch->Slice(row_, rows));
      count -= rows;
      row_ += rows;
      if (row_ == batch->num_rows()) {
        ++batch_;
        row_ = 0;
      }
    }
  }

 private:
  const arrow::RecordBatchVector* batches_;
  size_t batch_ = 0;
  int64_t row_ = 0;
};

int64_t CountRows(std::span<const RowRun> runs) {
  int64_t rows = 0;
  for (const RowRun& run : runs) rows += run.count;
  return rows;
}

/// Row numbers into the inputs' rows of `runs` laid side by side, in merged order.
arrow::Result<std::shared_ptr<arrow::Array>> FlatIndex(std::span<const RowRun> runs, size_t inputs,
                                                       arrow::MemoryPool* pool) {
  std::vector<int64_t> next(inputs, 0);
  for (const RowRun& run : runs) next[run.span] += run.count;
  int64_t rows = 0;
  for (int64_t& start : next) rows += std::exchange(start, rows);
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(rows * 4, pool));
  auto* index = reinterpret_cast<int32_t*>(buffer->mutable_data());
  for (const RowRun& run : runs) {
    int64_t& row = next[run.span];
    for (int64_t i = 0; i < run.count; ++i) *index++ = static_cast<int32_t>(row++);
  }
  return std::make_shared<arrow::Int32Array>(rows,
                                             std::shared_ptr<arrow::Buffer>(std::move(buffer)));
}

arrow::Result<std::shared_ptr<arrow::Array>> JoinColumn(const arrow::RecordBatchVector& batches,
                                                        size_t column, arrow::MemoryPool* pool) {
  arrow::ArrayVector pieces;
  for (const auto& batch : batches) pieces.push_back(batch->column(static_cast<int>(column)));
  return arrow::Concatenate(pieces, pool);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> PickRows(const arrow::RecordBatchVector& parts,
                                                            std::span<const RowRun> runs,
                                                            size_t inputs, arrow::MemoryPool* pool,
                                                            TaskPool* tasks) {
  ARROW_ASSIGN_OR_RAISE(auto index, FlatIndex(runs, inputs, pool));
  arrow::ArrayVector columns(parts[0]->num_columns());
  // Column by column, so that only one column at a time (of each thread) exists twice.
  ARROW_RETURN_NOT_OK(ForEach(tasks, columns.size(), [&](size_t i) {
    ARROW_ASSIGN_OR_RAISE(auto joined, JoinColumn(parts, i, pool));
    arrow::compute::ExecContext context(pool);
    context.set_use_threads(false);
    const auto options = arrow::compute::TakeOptions::NoBoundsCheck();
    return arrow::compute::Take(*joined, *index, options, &context).Value(&columns[i]);
  }));
  return arrow::RecordBatch::Make(parts[0]->schema(), index->length(), std::move(columns));
}

/// Slices of all runs in merged order.
arrow::RecordBatchVector SliceRuns(std::span<const RowRun> runs, std::vector<TakenRows>* cursors) {
  arrow::RecordBatchVector slices;
  for (const RowRun& run : runs) (*cursors)[run.span].Slice(run.count, &slices);
  return slices;
}

/// Gathers a stretch of runs that are too short to be slices.
arrow::Status GatherShortRuns(std::span<const RowRun> runs, std::vector<TakenRows>* cursors,
                              arrow::MemoryPool* pool, TaskPool* tasks,
                              arrow::RecordBatchVector* out) {
  const std::vector<TakenRows> start = *cursors;
  arrow::RecordBatchVector slices;
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> gathered;
  if (CountRows(runs) >= kStretchRows * static_cast<int64_t>(runs.size())) {
    slices = SliceRuns(runs, cursors);
    gathered = JoinBatches(slices, pool, tasks);
  } else {
    std::vector<int64_t> counts(cursors->size(), 0);
    for (const RowRun& run : runs) counts[run.span] += run.count;
    arrow::RecordBatchVector parts;
    for (size_t i = 0; i < counts.size(); ++i) (*cursors)[i].Slice(counts[i], &parts);
    gathered = PickRows(parts, runs, counts.size(), pool, tasks);
  }
  if (gathered.ok()) {
    out->push_back(gathered.MoveValueUnsafe());
    return arrow::Status::OK();
  }
  if (gathered.status().IsOutOfMemory()) return gathered.status();
  // A column of the window is too long for one array (2 GiB of strings): leave it in pieces.
  std::vector<TakenRows> again = start;
  for (auto& slice : SliceRuns(runs, &again)) out->push_back(std::move(slice));
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<arrow::RecordBatchVector> GatherRuns(const std::shared_ptr<arrow::Schema>& schema,
                                                   std::span<const arrow::RecordBatchVector> taken,
                                                   std::span<const RowRun> runs, int64_t slice_rows,
                                                   arrow::MemoryPool* pool, TaskPool* tasks) {
  std::vector<TakenRows> cursors(taken.begin(), taken.end());
  arrow::RecordBatchVector out;
  for (size_t begin = 0; begin < runs.size();) {
    if (runs[begin].count >= slice_rows || runs.size() == 1) {
      cursors[runs[begin].span].Slice(runs[begin].count, &out);
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < runs.size() && runs[end].count < slice_rows) ++end;
    ARROW_RETURN_NOT_OK(
        GatherShortRuns(runs.subspan(begin, end - begin), &cursors, pool, tasks, &out));
    begin = end;
  }
  // One schema object for all, whatever those of the sources were.
  for (auto& batch : out) {
    batch = arrow::RecordBatch::Make(schema, batch->num_rows(), batch->columns());
  }
  return out;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> JoinBatches(
    const arrow::RecordBatchVector& batches, arrow::MemoryPool* pool, TaskPool* tasks) {
  if (batches.size() == 1) return batches[0];
  int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  arrow::ArrayVector columns(batches[0]->num_columns());
  ARROW_RETURN_NOT_OK(ForEach(tasks, columns.size(), [&](size_t i) {
    return JoinColumn(batches, i, pool).Value(&columns[i]);
  }));
  return arrow::RecordBatch::Make(batches[0]->schema(), rows, std::move(columns));
}

arrow::RecordBatchVector ZipBatches(const arrow::RecordBatchVector& left,
                                    const arrow::RecordBatchVector& right,
                                    const std::shared_ptr<arrow::Schema>& schema) {
  arrow::RecordBatchVector zipped;
  size_t i = 0;
  size_t j = 0;
  int64_t left_used = 0;
  int64_t right_used = 0;
  while (i < left.size() && j < right.size()) {
    const int64_t rows =
        std::min(left[i]->num_rows() - left_used, right[j]->num_rows() - right_used);
    if (rows > 0) {
      arrow::ArrayVector columns = left[i]->Slice(left_used, rows)->columns();
      const auto more = right[j]->Slice(right_used, rows)->columns();
      columns.insert(columns.end(), more.begin(), more.end());
      zipped.push_back(arrow::RecordBatch::Make(schema, rows, std::move(columns)));
    }
    left_used += rows;
    right_used += rows;
    if (left_used == left[i]->num_rows()) left_used = 0, ++i;
    if (right_used == right[j]->num_rows()) right_used = 0, ++j;
  }
  return zipped;
}

}  // namespace esker
