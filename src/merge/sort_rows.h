// Sort rows: what fits into memory, by normalised keys.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "merge/key_batch.h"
#include "merge/key_encoder.h"

namespace esker {

/// The rows of `keys` in order, as row numbers; equal keys stay in order of rows. Requires fewer
/// than 2^31 rows. O(rows × log rows).
std::vector<int32_t> SortedRows(const KeyBatch& keys);

/// All rows of `batches` as one batch in order of the keys, which are their first columns. Stable.
/// Invalid if there are too many rows or bytes for one batch (2^31). Requires a batch. Memory: the
/// rows once more, one of the columns twice, and their keys.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> SortBatches(
    const arrow::RecordBatchVector& batches, const KeyEncoder& encoder, arrow::MemoryPool* pool);

/// The rows of `batch` at those indices, which must be within it. O(rows).
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& batch,
                                                            const arrow::Int32Array& rows,
                                                            arrow::MemoryPool* pool);

}  // namespace esker
