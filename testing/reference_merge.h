// Reference merge: the naive twin of everything that orders rows.
//
// All rows of all inputs in input order, then a stable sort with a plain comparator that looks at
// Arrow arrays cell by cell. It shares nothing with the encoder, the kernels or the window loop, so
// that their faults cannot hide behind each other. Slow on purpose.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "order/sort_key.h"

namespace esker::testing {

/// Key and output columns of one input; row i of one belongs to row i of the other.
struct ReferenceInput {
  std::shared_ptr<arrow::RecordBatch> keys;
  std::shared_ptr<arrow::RecordBatch> rows;
};

/// Compares row `i` of `a` with row `j` of `b` by all keys, as docs/order.md, 1 says. Column k
/// of both belongs to keys[k]; no transforms.
std::weak_ordering CompareRows(std::span<const SortKey> keys, const arrow::RecordBatch& a,
                               int64_t i, const arrow::RecordBatch& b, int64_t j);

/// `input` in order of the keys; rows that tie stay in order.
arrow::Result<ReferenceInput> ReferenceSort(std::span<const SortKey> keys,
                                            const ReferenceInput& input);

/// The output columns of all inputs in order of the keys, ties by input, then by row. `limit`
/// rows at most; -1 for all. Requires an input.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReferenceMerge(
    std::span<const SortKey> keys, const std::vector<ReferenceInput>& inputs, int64_t limit = -1);

}  // namespace esker::testing
