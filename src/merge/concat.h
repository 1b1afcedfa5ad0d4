// Concatenation: sources one after another, for scans without an order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/memory_budget.h"
#include "base/scan_counters.h"
#include "read/source.h"

namespace esker {

/// Reads `inputs` in turn, at most one open at a time, into batches of `schema`; at most `limit`
/// rows (-1: all). The open one is charged to `budget` (null: none). UsageError naming the file and
/// the number needed where it does not fit. After an error, or Close(), the reader stays so and
/// holds nothing open.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeConcat(
    std::vector<std::function<arrow::Result<std::unique_ptr<Source>>()>> inputs,
    std::shared_ptr<arrow::Schema> schema, int64_t limit, std::shared_ptr<ScanCounters> counters,
    std::shared_ptr<MemoryBudget> budget = nullptr);

}  // namespace esker
