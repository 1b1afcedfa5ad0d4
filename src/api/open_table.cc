#include "api/open_table.h"

#include <string>
#include <utility>

#include "api/scan_plan.h"
#include "arrow/buffer.h"
#include "arrow/compute/initialize.h"
#include "base/arrow_version.h"
#include "base/status.h"
#include "plan/planned_scan.h"

namespace esker {
namespace {

constexpr int64_t kMaxMetadataBytes = int64_t{1} << 30;

// Once a process: the right Arrow, and its compute kernels registered.
arrow::Status StartArrow() {
  static const arrow::Status status = [] {
    ARROW_RETURN_NOT_OK(CheckArrowVersion());
    return arrow::compute::Initialize();
  }();
  return status;
}

}  // namespace

arrow::Result<OpenedTable> OpenTable(std::string_view location, OpenOptions options) {
  ARROW_RETURN_NOT_OK(StartArrow());
  ARROW_ASSIGN_OR_RAISE(TableLocation place, PathCatalog(options.filesystem).Find(location));
  return OpenTableAt(std::move(place), std::move(options));
}

arrow::Result<OpenedTable> OpenTableAt(TableLocation place, OpenOptions options) {
  ARROW_RETURN_NOT_OK(StartArrow());
  Storage storage(options.filesystem, options.map);
  ARROW_ASSIGN_OR_RAISE(auto bytes, storage.ReadNamed(place.metadata_file, kMaxMetadataBytes));
  auto metadata = ParseTableMetadata(
      {reinterpret_cast<const char*>(bytes->data()), static_cast<size_t>(bytes->size())});
  if (!metadata.ok()) return WithPlace(metadata.status(), place.metadata_file);
  if (!place.table_folder.empty()) {
    storage = storage.WithRule(metadata->location, place.table_folder);
  } else {
    place.table_folder = metadata->location;
  }
  return OpenedTable{std::make_shared<const TableMetadata>(std::move(*metadata)),
                     std::make_shared<const Storage>(std::move(storage)), std::move(place)};
}

arrow::Result<std::shared_ptr<ScanPlan>> PlanOf(const OpenedTable& table, ScanRequest request,
                                                ScanOptions options,
                                                std::shared_ptr<const SplitSpec> split) {
  auto scan =
      PlanScan(table.metadata, table.storage, table.location.metadata_file,
               table.location.table_folder, std::move(request), std::move(options),
               std::move(split));
  if (!scan.ok() && KindOf(scan.status()) != ErrorKind::kUsage) {
    return WithPlace(scan.status(), "table " + table.location.table_folder);
  }
  ARROW_RETURN_NOT_OK(scan.status());
  return MakeScanPlan(std::move(*scan), table.storage);
}

}  // namespace esker
