// Which state of the table a scan reads: snapshot, time, branch or tag (spec: Snapshots, Refs).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/result.h"
#include "esker/options.h"
#include "format/table_metadata.h"

namespace esker {

/// A chosen state. `snapshot` is null for a table without snapshots; it points into the metadata.
struct ChosenState {
  const Snapshot* snapshot = nullptr;
  /// The schema to read with: that of the snapshot, or of the table where the snapshot names none;
  /// a branch and the current state are read with the table's current schema, as in Iceberg's API.
  std::shared_ptr<const Schema> schema;
};

/// Applies `request.snapshot_id`, `as_of` or `ref`. UsageError if more than one is set or the time
/// does not parse; NotFoundError, with what there is, for an unknown snapshot or ref or a time
/// before the first snapshot. Invalid where the metadata points at a snapshot it does not hold.
arrow::Result<ChosenState> ChooseState(const TableMetadata& metadata, const ScanRequest& request);

/// The state that a plan was pinned to: that snapshot (none: the table had none) read with that
/// schema. NotFoundError if the metadata has no such snapshot, Invalid if it has no such schema.
arrow::Result<ChosenState> PinnedState(const TableMetadata& metadata,
                                       std::optional<int64_t> snapshot_id, int32_t schema_id);

}  // namespace esker
