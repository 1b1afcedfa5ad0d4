// The public ScanSplit over the split specs of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "arrow/result.h"
#include "catalog/storage.h"
#include "esker/split.h"
#include "plan/planned_scan.h"

namespace esker {

/// MakeSplits(), with paths that hold from any working folder.
arrow::Result<std::vector<ScanSplit>> SplitScan(const PlannedScan& scan, const Storage& storage,
                                                int32_t parts);

}  // namespace esker
