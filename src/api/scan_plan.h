// The public ScanPlan over a planned scan.
#pragma once

#include <memory>

#include "catalog/storage.h"
#include "esker/scan.h"
#include "plan/planned_scan.h"

namespace esker {

/// Wraps a planned scan into the public interface.
std::shared_ptr<ScanPlan> MakeScanPlan(std::shared_ptr<const PlannedScan> scan,
                                       std::shared_ptr<const Storage> storage);

}  // namespace esker
