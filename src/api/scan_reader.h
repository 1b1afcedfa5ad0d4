// Scan reader: follows a planned scan. Every file of the plan becomes one input of the lazy merge,
// opened in the way that the plan says; without an order the files are read one after another.
#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "catalog/storage.h"
#include "plan/planned_scan.h"

namespace esker {

/// A reader of all rows of the scan. Nothing is opened before the first ReadNext(). The reader
/// shares ownership of everything that it needs. See ScanPlan::Read().
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeScanReader(
    std::shared_ptr<const PlannedScan> scan, std::shared_ptr<const Storage> storage,
    std::shared_ptr<ScanCounters> counters, arrow::MemoryPool* pool);

}  // namespace esker
