// Table: the way in. Open a table, look around in it, plan a scan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "esker/options.h"
#include "esker/scan.h"

namespace esker {

struct SnapshotInfo {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_snapshot_id;
  int64_t sequence_number = 0;
  int64_t timestamp_ms = 0;
  std::string operation;
  std::map<std::string, std::string> summary;
  std::vector<std::string> refs;  ///< branches and tags that point at it
  bool is_current = false;
};

struct ColumnInfo {
  int32_t field_id = 0;
  std::string name;
  std::string type;
  bool required = false;
  std::string doc;
};

/// A table as `esker describe` shows it.
struct TableInfo {
  std::string location;
  std::string metadata_file;
  int32_t format_version = 0;
  std::string uuid;
  int64_t last_updated_ms = 0;
  std::optional<int64_t> current_snapshot_id;
  int32_t schema_id = 0;
  std::vector<ColumnInfo> columns;                               ///< all, nested ones as "a.b"
  std::vector<std::pair<int32_t, std::string>> partition_specs;  ///< id, in words
  int32_t default_spec_id = 0;
  std::vector<std::pair<int32_t, std::string>> sort_orders;  ///< id, in words
  int32_t default_sort_order_id = 0;
  std::map<std::string, std::string> properties;
  std::vector<std::string> refs;
};

class Table {
 public:
  virtual ~Table() = default;

  /// Opens a table: a *.metadata.json file, or a table folder (the newest metadata in it). Reads
  /// the metadata file only. Errors carry a kind: no such table, damaged metadata, a format
  /// version that Esker does not read.
  static arrow::Result<std::shared_ptr<Table>> Open(std::string_view location,
                                                    OpenOptions options = {});

  virtual TableInfo Describe() const = 0;

  /// All snapshots, oldest first.
  virtual std::vector<SnapshotInfo> Snapshots() const = 0;

  /// Plans a scan: reads the manifest list and the manifests, nothing else. Errors: a bad request
  /// (unknown column, bad filter), an unknown snapshot, a feature that Esker does not read, more
  /// files than max_planned_files.
  virtual arrow::Result<std::shared_ptr<ScanPlan>> Plan(ScanRequest request = {},
                                                        ScanOptions options = {}) const = 0;
};

}  // namespace esker
