// Filters on rows: Arrow's compute kernels, one call or two for each predicate of a batch.
//
// The kernels follow IEEE where Esker has NaN above all numbers; the difference is made up here.
// Nulls follow SQL (Kleene logic). arrow::compute::Initialize() must have been called.
#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "expr/node.h"

namespace esker::expr_internal {

/// One boolean for each row of `batch`, without nulls: true where the tree is true, false where it
/// is false or null. Column i of the batch is the one that nodes call `column` i. Invalid if a
/// column has not the Arrow type of its Iceberg type. O(rows × leaves).
arrow::Result<std::shared_ptr<arrow::BooleanArray>> EvaluateTree(const Node& root,
                                                                 const arrow::RecordBatch& batch);

}  // namespace esker::expr_internal
