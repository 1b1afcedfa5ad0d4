// Row gather: the output columns of a merged window, from the rows that each input gave for it.
//
// The merge says which input the rows come from, run by run; the inputs gave exactly those rows.
// A long run is a slice, nothing is copied. Shorter runs are copied stretch by stretch; short
// ones are picked by one flat index from the inputs' rows laid side by side, which is as fast as
// copying as long as a window fits the cache.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/task_pool.h"
#include "merge/merge_kernel.h"

namespace esker {

/// The rows of `runs` in their order, as batches of `schema`; run.span is a place in `taken`, and
/// taken[i] holds exactly the rows that runs take from i. Runs of `slice_rows` and more become
/// slices of what was taken. O(rows), but for slices; column by column on the threads of `tasks`.
arrow::Result<arrow::RecordBatchVector> GatherRuns(const std::shared_ptr<arrow::Schema>& schema,
                                                   std::span<const arrow::RecordBatchVector> taken,
                                                   std::span<const RowRun> runs, int64_t slice_rows,
                                                   arrow::MemoryPool* pool,
                                                   TaskPool* tasks = nullptr);

/// All of `batches` as one. Invalid if a column becomes too long for its offsets (2 GiB of
/// strings). Copies, but for a single batch. Requires at least one batch.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> JoinBatches(
    const arrow::RecordBatchVector& batches, arrow::MemoryPool* pool, TaskPool* tasks = nullptr);

/// The columns of `left` and those of `right` side by side; both have equally many rows, cut
/// anywhere. No copies.
arrow::RecordBatchVector ZipBatches(const arrow::RecordBatchVector& left,
                                    const arrow::RecordBatchVector& right,
                                    const std::shared_ptr<arrow::Schema>& schema);

}  // namespace esker
