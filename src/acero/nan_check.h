// NaN check: an order told to Acero may rest on files' statistics that count no NaN. Statistics are
// not trusted, and the merge itself is content with NaN after the numbers, so the rows are looked
// at.
#pragma once

#include <span>

#include "arrow/status.h"
#include "arrow/type_fwd.h"

namespace esker {

/// DisorderError naming the first of `columns` that holds NaN; what lies under a null does not
/// count. Requires columns of float or double. O(columns × rows).
arrow::Status CheckWithoutNan(const arrow::RecordBatch& batch, std::span<const int> columns);

}  // namespace esker
