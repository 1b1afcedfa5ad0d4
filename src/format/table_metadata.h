// Table metadata, format versions 1 to 3 (spec: Table Metadata and appendix C), as written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "format/transform.h"
#include "format/type.h"

namespace esker {

struct PartitionField {
  std::vector<int32_t> source_ids;  ///< one, but for multi-argument transforms (v3)
  int32_t field_id = 0;
  std::string name;
  Transform transform;
};

struct PartitionSpec {
  int32_t spec_id = 0;
  std::vector<PartitionField> fields;
};

struct SortField {
  std::vector<int32_t> source_ids;  ///< one, but for multi-argument transforms (v3)
  Transform transform;
  bool descending = false;
  bool nulls_first = true;
};

struct SortOrder {
  int32_t order_id = 0;  ///< 0 is the unsorted order
  std::vector<SortField> fields;
};

struct Snapshot {
  int64_t snapshot_id = 0;
  std::optional<int64_t> parent_snapshot_id;
  int64_t sequence_number = 0;  ///< 0 in v1
  int64_t timestamp_ms = 0;
  std::string manifest_list;           ///< "" where v1 lists `manifests` instead
  std::vector<std::string> manifests;  ///< v1 only
  std::optional<int32_t> schema_id;
  std::optional<int64_t> first_row_id;
  std::map<std::string, std::string> summary;  ///< "operation" among them
};

struct SnapshotRef {
  int64_t snapshot_id = 0;
  bool is_tag = false;
};

struct SnapshotLogEntry {
  int64_t timestamp_ms = 0;
  int64_t snapshot_id = 0;
};

struct TableMetadata {
  int32_t format_version = 0;
  std::string table_uuid;
  std::string location;
  int64_t last_updated_ms = 0;
  std::vector<Schema> schemas;
  int32_t current_schema_id = 0;
  std::vector<PartitionSpec> partition_specs;
  int32_t default_spec_id = 0;
  std::vector<SortOrder> sort_orders;
  int32_t default_sort_order_id = 0;
  std::vector<Snapshot> snapshots;
  std::optional<int64_t> current_snapshot_id;  ///< -1 and null are read as none
  /// Holds "main" whenever there is a current snapshot, and then names that one (checked).
  std::map<std::string, SnapshotRef> refs;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::map<std::string, std::string> properties;

  /// Lookups by id; null if there is none. O(n).
  const Schema* FindSchema(int32_t schema_id) const;
  const PartitionSpec* FindSpec(int32_t spec_id) const;
  const SortOrder* FindSortOrder(int32_t order_id) const;
  const Snapshot* FindSnapshot(int64_t snapshot_id) const;
  const Schema& current_schema() const;  ///< parsing has made sure that it exists
};

/// Parses metadata JSON, gzipped or plain (told by the magic bytes). Unknown fields are ignored;
/// v1's top-level `schema` and `partition-spec` are read where the lists are absent.
/// What only writers need may be absent (uuid, last-updated-ms, sort orders, partition specs …).
/// A snapshot id beyond 63 bits is kept as the same 64 bits.
/// Errors: Invalid naming the JSON path of what is missing or wrong, of an id used twice, of a
/// current schema or snapshot that is not there, of nesting beyond 200 levels; UnsupportedError
/// for a format version above 3 or a table that says it is encrypted. An order on a dropped column
/// or an unknown transform is no error, nor is a schema id of a snapshot that no schema has: who
/// reads that snapshot must look. Inflates at most 1 GiB.
arrow::Result<TableMetadata> ParseTableMetadata(std::string_view bytes);

}  // namespace esker
