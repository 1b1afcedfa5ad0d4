// Opening a table: its metadata file read, and the way from recorded locations to files.
#pragma once

#include <memory>
#include <string_view>

#include "arrow/result.h"
#include "catalog/path_catalog.h"
#include "catalog/storage.h"
#include "esker/options.h"
#include "esker/scan.h"
#include "format/table_metadata.h"
#include "plan/split_spec.h"

namespace esker {

struct OpenedTable {
  std::shared_ptr<const TableMetadata> metadata;
  std::shared_ptr<const Storage> storage;
  TableLocation location;  ///< table_folder is the recorded location where none was found
};

/// See Table::Open().
arrow::Result<OpenedTable> OpenTable(std::string_view location, OpenOptions options);

/// Opens the table whose metadata file and folder are known already.
arrow::Result<OpenedTable> OpenTableAt(TableLocation place, OpenOptions options);

/// See Table::Plan(); with `split` that part of the scan, see PlanScan().
arrow::Result<std::shared_ptr<ScanPlan>> PlanOf(const OpenedTable& table, ScanRequest request,
                                                ScanOptions options,
                                                std::shared_ptr<const SplitSpec> split = nullptr);

}  // namespace esker
